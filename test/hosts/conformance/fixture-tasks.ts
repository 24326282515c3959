/** The tasks extension of 2026-07-28 (SEP-2663): its three methods, and the tools of the official scenarios that make tasks. */

import { randomUUID } from "node:crypto";
import { type Call, Fault, form, textResult } from "./fixture-call.ts";
import type { Tool } from "./fixture-tools.ts";
import { asObject, CODE, type Json } from "./message.ts";

export const TASKS_EXTENSION = { "io.modelcontextprotocol/tasks": {} };

/** What a second of a scenario's "slow" work takes here. */
const SECOND_MS = 100;

interface Task {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
  result?: Json;
  error?: Json;
  inputRequests?: Json;
}

const tasks = new Map<string, Task>();

/** The tools by name; a task-making one runs at once, without a task, for a client that does not know tasks. */
export const TASK_TOOLS: Record<string, Tool> = {
  greet: {
    description: "Says hello",
    era: "modern",
    run: ({ params }) => textResult(`Hello, ${String(asObject(params.arguments).name)}!`),
  },
  slow_compute: {
    description: "Takes its time",
    era: "modern",
    run(call) {
      const { seconds, label } = asObject(call.params.arguments);
      const result = { result: textResult(`computed ${String(label)}`) };
      return knowsTasks(call) ? start((task) => later(task, Number(seconds), result)) : result.result;
    },
  },
  failing_job: {
    description: "Fails, as a task only",
    era: "modern",
    run: (call) => needTasks(call, (task) => later(task, 1, { result: { ...textResult("it failed"), isError: true } })),
  },
  protocol_error_job: {
    description: "Fails below the tool, as a task only",
    era: "modern",
    run: (call) => needTasks(call, (task) => later(task, 1, { error: { code: -32603, message: "it broke" } })),
  },
  confirm_delete: {
    description: "Asks once, as a task only",
    era: "modern",
    run: (call) => needTasks(call, (task) => askFor(task, "confirm")),
  },
  multi_input: {
    description: "Asks twice at once, as a task only",
    era: "modern",
    run: (call) => needTasks(call, (task) => askFor(task, "first", "second")),
  },
  test_tool_with_task: {
    description: "Asks first, then makes a task",
    era: "modern",
    run(call) {
      const { user_name } = asObject(call.params.inputResponses);
      const params = form("What is your name?", "name");
      const inputRequests = { user_name: { method: "elicitation/create", params } };
      if (user_name === undefined) return { resultType: "input_required", inputRequests };
      const { name } = asObject(asObject(user_name).content);
      return needTasks(call, (task) => later(task, 1, { result: textResult(`Hello, ${String(name)}!`) }));
    },
  },
};

export const TASK_METHODS: Record<string, (call: Call) => Json> = {
  "tasks/get": (call) => ({ ...taskOf(call) }),
  "tasks/update"(call) {
    const task = taskOf(call);
    const answered = asObject(call.params.inputResponses);
    const open = Object.entries(task.inputRequests ?? {}).filter(([name]) => !(name in answered));
    if (task.status !== "input_required") return {};
    task.inputRequests = Object.fromEntries(open);
    if (open.length === 0) settle(task, "completed", { result: textResult("all answered") });
    return {};
  },
  "tasks/cancel"(call) {
    settle(taskOf(call), "cancelled", {});
    return {};
  },
};

function knowsTasks({ capabilities }: Call): boolean {
  return Object.keys(TASKS_EXTENSION).every((name) => name in asObject(capabilities.extensions));
}

function demandTasks(call: Call): void {
  if (knowsTasks(call)) return;
  const data = { requiredCapabilities: { extensions: TASKS_EXTENSION } };
  throw new Fault(CODE.capability, "the client does not declare the tasks extension", data);
}

function needTasks(call: Call, work: (task: Task) => void): Json {
  demandTasks(call);
  return start(work);
}

function taskOf(call: Call): Task {
  demandTasks(call);
  const task = tasks.get(String(call.params.taskId));
  if (task === undefined) throw new Fault(CODE.params, "Unknown task");
  return task;
}

/** Makes a task; what the call answers is the task as it was made. */
function start(work: (task: Task) => void): Json {
  const now = new Date().toISOString();
  const made = { taskId: randomUUID(), createdAt: now, lastUpdatedAt: now, ttlMs: 600_000, pollIntervalMs: 100 };
  const task: Task = { ...made, status: "working" };
  tasks.set(task.taskId, task);
  work(task);
  return { resultType: "task", ...made, status: "working" };
}

function later(task: Task, seconds: number, end: { result: Json } | { error: Json }): void {
  setTimeout(() => settle(task, "error" in end ? "failed" : "completed", end), seconds * SECOND_MS).unref();
}

function askFor(task: Task, ...names: string[]): void {
  task.status = "input_required";
  const asked = { method: "elicitation/create", params: form("Really?", "confirm", "boolean") };
  task.inputRequests = Object.fromEntries(names.map((name) => [name, asked]));
}

/** The end of a task; what has ended stays as it is. */
function settle(task: Task, status: Task["status"], end: { result?: Json; error?: Json }): void {
  if (task.status !== "working" && task.status !== "input_required") return;
  delete task.inputRequests;
  Object.assign(task, { status, lastUpdatedAt: new Date().toISOString(), ...end });
}

/**
 * Tasks of the fake upstream: the experimental shape of 2025-11-25 and that of the extension
 * io.modelcontextprotocol/tasks for 2026-07-28. Owns the tasks; times in them are fixed, so that transcripts compare.
 */

import type { Call, Json, Wire } from "./mcp-message.ts";

interface Task {
  id: string;
  status: "working" | "completed" | "failed" | "cancelled";
  pollsLeft: number;
  outcome: "completed" | "failed";
}

const AT = "2026-08-01T00:00:00Z";
const RELATED = "io.modelcontextprotocol/related-task";
const tasks = new Map<string, Task>();

const legacyTask = (task: Task): Json => ({
  taskId: task.id,
  status: task.status,
  createdAt: AT,
  lastUpdatedAt: AT,
  ttl: 60_000,
  pollInterval: 1,
});

const payload = (task: Task): Json => ({
  content: [{ type: "text", text: `task ${task.id} ${task.status}` }],
  ...(task.status === "failed" ? { isError: true } : {}),
});

const modernTask = (task: Task): Json => ({
  taskId: task.id,
  status: task.status,
  createdAt: AT,
  lastUpdatedAt: AT,
  ttlMs: 60_000,
  pollIntervalMs: 1,
  ...(task.status === "completed" ? { result: payload(task) } : {}),
  ...(task.status === "failed" ? { error: { code: -32603, message: "the task failed" } } : {}),
});

/** The tool `task`. Without `params.task` in a legacy request it answers at once, as a server without tasks would. */
export function startTask(wire: Wire, call: Call): void {
  const task: Task = {
    id: `task-${tasks.size + 1}`,
    status: "working",
    pollsLeft: Number(call.args.polls ?? 1),
    outcome: call.args.outcome === "failed" ? "failed" : "completed",
  };
  const plain = !call.modern && call.params.task === undefined;
  if (!plain) tasks.set(task.id, task);
  if (plain) wire.result(call, payload({ ...task, status: task.outcome }));
  else wire.result(call, call.modern ? { resultType: "task", ...modernTask(task) } : { task: legacyTask(task) });
}

/** tasks/get, tasks/list, tasks/result, tasks/update and tasks/cancel; undefined for what is not known. */
export function taskAnswer(wire: Wire, method: string, call: Call): Json | undefined {
  const shape = call.modern ? modernTask : legacyTask;
  if (method === "tasks/list") return call.modern ? undefined : { tasks: [...tasks.values()].map(shape) };
  const task = tasks.get(String(call.params.taskId));
  if (!task) return undefined;
  switch (method) {
    case "tasks/get":
      if (task.status === "working" && --task.pollsLeft <= 0) {
        task.status = task.outcome;
        wire.notify(call.modern ? "notifications/tasks" : "notifications/tasks/status", shape(task));
      }
      return shape(task);
    case "tasks/result":
      return call.modern ? undefined : { ...payload(task), _meta: { [RELATED]: { taskId: task.id } } };
    case "tasks/update":
      return {};
    case "tasks/cancel":
      task.status = "cancelled";
      return call.modern ? {} : shape(task);
    default:
      return undefined;
  }
}

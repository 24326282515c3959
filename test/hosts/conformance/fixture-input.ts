/** Tools that answer `input_required` first (SEP-2322), and the one prompt that does. */

import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { type Call, Fault, form, textBlock, textResult } from "./fixture-call.ts";
import type { Tool } from "./fixture-tools.ts";
import { asObject, CODE, type Json } from "./message.ts";

const KEY = randomBytes(32);

/** What a tool asks for: the requests by name. */
type Inputs = Record<string, Json>;

const elicitation = (message: string, field: string, type?: string): Json => ({
  method: "elicitation/create",
  params: form(message, field, type),
});

const sampling = (text: string): Json => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: textBlock(text) }], maxTokens: 100 },
});

const ROOTS: Json = { method: "roots/list", params: {} };
const NAME = elicitation("What is your name?", "name");
const CONFIRM = elicitation("Please confirm", "ok", "boolean");

const required = (inputRequests: Inputs, state?: Json): Json => ({
  resultType: "input_required",
  inputRequests,
  ...(state === undefined ? {} : { requestState: seal(state) }),
});

/** The response to one input, when it is an object. */
const response = (call: Call, name: string): Json | undefined => {
  const value = asObject(call.params.inputResponses)[name];
  return typeof value === "object" && value !== null ? (value as Json) : undefined;
};

const field = (response: Json | undefined, name: string) => String(asObject(response?.content)[name]);

/** State that cannot be changed unseen. */
function seal(state: Json): string {
  const body = Buffer.from(JSON.stringify({ ...state, nonce: randomUUID() })).toString("base64url");
  return `${body}.${createHmac("sha256", KEY).update(body).digest("base64url")}`;
}

function unseal({ params: { requestState } }: Call): Json | undefined {
  if (requestState === undefined) return undefined;
  const [body = "", ...mac] = String(requestState).split(".");
  if (createHmac("sha256", KEY).update(body).digest("base64url") !== mac.join(".")) {
    throw new Fault(CODE.params, "requestState was changed");
  }
  return JSON.parse(Buffer.from(body, "base64url").toString());
}

/** One round: asks until every input is answered. */
function once(description: string, inputs: Inputs, withState: boolean, finish: (call: Call) => Json): Tool {
  return {
    description,
    era: "modern",
    run(call) {
      const state = unseal(call);
      const complete = Object.keys(inputs).every((name) => response(call, name)) && (state !== undefined || !withState);
      return complete ? finish(call) : required(inputs, withState ? {} : undefined);
    },
  };
}

export const INPUT_TOOLS: Record<string, Tool> = {
  test_input_required_result_elicitation: once("Asks for a name", { user_name: NAME }, false, (call) =>
    textResult(`Hello, ${field(response(call, "user_name"), "name")}!`),
  ),
  test_input_required_result_sampling: once(
    "Asks a model",
    { capital_question: sampling("What is the capital of France?") },
    false,
    (call) => textResult(`Sampling result: ${field(response(call, "capital_question"), "text")}`),
  ),
  test_input_required_result_list_roots: once("Asks for the roots", { client_roots: ROOTS }, false, (call) =>
    textResult(`Roots: ${JSON.stringify(response(call, "client_roots")?.roots)}`),
  ),
  test_input_required_result_request_state: once("Keeps state", { confirm: CONFIRM }, true, () =>
    textResult("state-ok"),
  ),
  test_input_required_result_multiple_inputs: once(
    "Asks for three things",
    { user_name: NAME, greeting: sampling("Generate a greeting"), client_roots: ROOTS },
    true,
    (call) => textResult(Object.keys(asObject(call.params.inputResponses)).join(", ")),
  ),
  test_input_required_result_tampered_state: once("Signs its state", { confirm: CONFIRM }, true, () =>
    textResult("integrity-ok"),
  ),
  test_input_required_result_multi_round: {
    description: "Asks twice",
    era: "modern",
    run(call) {
      const { round, name } = unseal(call) ?? {};
      const [first, second] = [response(call, "step1"), response(call, "step2")];
      if (round === 2 && second) return textResult(`${String(name)} likes ${field(second, "color")}`);
      if (round === 1 && first) {
        const step2 = elicitation("Step 2: What is your favorite color?", "color");
        return required({ step2 }, { round: 2, name: field(first, "name") });
      }
      return required({ step1: elicitation("Step 1: What is your name?", "name") }, { round: 1 });
    },
  },
  test_input_required_result_capabilities: {
    description: "Asks only for what the client can do",
    era: "modern",
    run(call) {
      if (call.params.inputResponses !== undefined) return textResult("capabilities-ok");
      const { elicitation: person, sampling: model } = call.capabilities;
      return required({ ...(person ? { name: NAME } : {}), ...(model ? { greeting: sampling("Greet") } : {}) }, {});
    },
  },
};

/** `prompts/get` of the prompt that asks first. */
export function promptWithInput(call: Call): Json {
  const context = response(call, "user_context");
  if (!context) return required({ user_context: elicitation("What context should the prompt use?", "context") });
  return { messages: [{ role: "user", content: textBlock(`Context: ${field(context, "context")}`) }] };
}

import { useMemo } from "preact/hooks";
import { type BriefPayload, isBrief } from "../../core/brief.ts";
import type { Step } from "../../core/run.ts";
import { copyText } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { exactDate } from "../ui/time.ts";
import { noticesOf, sourceWords, timeWords } from "./call-words.ts";
import { FoundText } from "./find/found-text.tsx";
import { JsonTree } from "./json/json-tree.tsx";
import { memberOf } from "./json/value.ts";
import { TextPart } from "./parts/text-part.tsx";
import { argumentParts } from "./payload/argument-parts.ts";
import type { Part } from "./payload/part.ts";
import { resultParts } from "./payload/result-parts.ts";
import { PayloadSection, Section } from "./section.tsx";

/** A call: what must be known first, what the model thought, what went in and came out, and everything else at the end. */

export function StepDetail({ step, isLoading }: { step: Step; isLoading: boolean }) {
  return (
    <>
      <Facts step={step} />
      {noticesOf(step).map(({ tone, text }) => (
        <p key={text} class={`notice ${tone}`}>
          <Icon name="alert" />
          {text}
        </p>
      ))}
      {step.context !== null && step.context !== "" && (
        <Section title="Before the call">
          <TextPart text={step.context} hint="markdown" />
        </Section>
      )}
      <Payload title="Arguments" payload={step.args} isLoading={isLoading} partsOf={argumentParts} />
      <ErrorSection step={step} />
      <Result step={step} isLoading={isLoading} />
      <Metadata step={step} />
    </>
  );
}

function Facts({ step }: { step: Step }) {
  const facts: [string, string, boolean?][] = [
    ["Started", exactDate(step.startedAt)],
    ["Took", timeWords(step)],
  ];
  if (step.agentId !== null) facts.push(["Agent", step.agentId, true]);
  if (step.callId !== null) facts.push(["Call id", step.callId, true]);
  facts.push(["Recorded", sourceWords(step)]);
  return (
    <dl class="facts head-facts">
      {facts.map(([name, value, isId]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>
            <FoundText text={value} {...(isId === true ? { class: "mono" } : {})} />
            {isId === true && (
              <button
                type="button"
                class="icon-button small"
                aria-label={`Copy ${name.toLowerCase()}`}
                title="Copy"
                onClick={() => void copyText(value, `the ${name.toLowerCase()}`)}
              >
                <Icon name="copy" />
              </button>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface PayloadProps {
  title: string;
  payload: unknown;
  isLoading: boolean;
  partsOf: (payload: unknown) => Part[];
}

function Payload({ title, payload, isLoading, partsOf }: PayloadProps) {
  const parts = useMemo(() => (isBrief(payload) ? [] : partsOf(payload)), [payload, partsOf]);
  if (payload === null || payload === undefined) return null;
  if (isBrief(payload)) return <BriefSection title={title} payload={payload} isLoading={isLoading} />;
  return <PayloadSection title={title} value={payload} parts={parts} />;
}

/** The beginning, until the whole is there. */
function BriefSection({ title, payload, isLoading }: { title: string; payload: BriefPayload; isLoading: boolean }) {
  return (
    <Section title={title}>
      <pre class="brief-text">
        <code class="recorded">
          <FoundText text={payload.head} />
        </code>
      </pre>
      <p class="part-note soft">
        {`The first ${payload.head.length} of ${payload.length.toLocaleString("en")} characters${isLoading ? "; loading the rest …" : "."}`}
      </p>
    </Section>
  );
}

function Result({ step, isLoading }: { step: Step; isLoading: boolean }) {
  const { result, args, status } = step;
  const parts = useMemo(() => (isBrief(result) ? [] : resultParts(result, args)), [result, args]);
  if (result === null || result === undefined) {
    if (step.error !== null || (step.rpcError !== null && step.rpcError !== undefined)) return null;
    const words = status === "running" ? "Not there yet: the call is running." : "No result was recorded.";
    return (
      <Section title="Result">
        <p class="part-note soft">{words}</p>
      </Section>
    );
  }
  if (isBrief(result)) return <BriefSection title="Result" payload={result} isLoading={isLoading} />;
  return <PayloadSection title={step.isError ? "Result (an error)" : "Result"} value={result} parts={parts} />;
}

/** Why the call failed, where its result does not say the same. */
function ErrorSection({ step }: { step: Step }) {
  const { error, rpcError, result } = step;
  if (rpcError !== null && rpcError !== undefined) {
    const message = memberOf(rpcError, "message");
    const code = memberOf(rpcError, "code");
    const data = memberOf(rpcError, "data");
    const said = typeof message === "string" ? message : (error ?? "The call was answered with an error.");
    const parts: Part[] = [
      { kind: "text", text: said, title: code === undefined ? "JSON-RPC error" : `JSON-RPC error ${String(code)}` },
      ...(data === undefined ? [] : [{ kind: "json", value: data, title: "data" } as const]),
    ];
    return <PayloadSection title="Error" value={rpcError} parts={parts} />;
  }
  if (error === null || error === "") return null;
  if (result !== null && result !== undefined && (isBrief(result) || isSaidIn(result, error))) return null;
  return (
    <Section title="Error">
      <TextPart text={error} />
    </Section>
  );
}

function isSaidIn(result: unknown, error: string): boolean {
  const content = memberOf(result, "content");
  if (!Array.isArray(content)) return result === error;
  const texts = content.map((block: unknown) => memberOf(block, "text")).filter((text) => typeof text === "string");
  return texts.join("\n") === error || texts.includes(error);
}

function Metadata({ step }: { step: Step }) {
  const value = useMemo(() => {
    const { args: _args, result, error: _error, rpcError: _rpcError, context: _context, ...rest } = step;
    const meta = memberOf(result, "_meta");
    return meta === undefined ? rest : { ...rest, "result._meta": meta };
  }, [step]);
  return (
    <Section title="Metadata" isFolded>
      <JsonTree value={value} label="Metadata" />
    </Section>
  );
}

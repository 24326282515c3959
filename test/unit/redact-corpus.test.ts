import { expect, test } from "vitest";
import { redactJson, redactText } from "../../src/redact/redact.ts";
import { LOOK_ALIKES, type LookAlike } from "../corpus/look-alikes.ts";
import { SECRETS, type SecretCase } from "../corpus/secrets.ts";

const redact = (one: SecretCase | LookAlike): string =>
  one.json === true ? redactJson(one.text) : redactText(one.text);
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

test("at least 99 % of the secrets disappear", () => {
  const missed = SECRETS.filter((one) => one.gone.some((secret) => redact(one).includes(secret)));
  console.log(
    `redaction: ${SECRETS.length - missed.length} of ${SECRETS.length} secrets caught (${percent(SECRETS.length - missed.length, SECRETS.length)})`,
  );
  for (const one of missed) console.log(`  missed: ${one.name}`);
  expect(SECRETS.length).toBeGreaterThanOrEqual(150);
  expect(missed.length / SECRETS.length).toBeLessThanOrEqual(0.01);
});

test("no look-alike is touched", () => {
  const touched = LOOK_ALIKES.filter((one) => redact(one) !== one.text);
  console.log(
    `redaction: ${touched.length} of ${LOOK_ALIKES.length} look-alikes touched (${percent(touched.length, LOOK_ALIKES.length)})`,
  );
  expect(LOOK_ALIKES.length).toBeGreaterThanOrEqual(300);
  expect(touched.map((one) => one.name)).toEqual([]);
});

test("what stands beside a secret stays", () => {
  const lost = SECRETS.flatMap((one) => {
    const redacted = redact(one);
    return (one.stays ?? []).filter((part) => !redacted.includes(part)).map((part) => `${one.name}: ${part}`);
  });
  expect(lost).toEqual([]);
});

test("every case with a secret has a marker, is JSON if it was, and stays as it is when redacted again", () => {
  for (const one of SECRETS) {
    const redacted = redact(one);
    expect(redacted, one.name).toMatch(/\[REDACTED:[a-z0-9-]+\]/);
    if (one.json === true) expect(() => JSON.parse(redacted), one.name).not.toThrow();
    expect(redact({ ...one, text: redacted }), one.name).toBe(redacted);
  }
});

test("the corpus has no case twice", () => {
  for (const cases of [SECRETS, LOOK_ALIKES]) {
    const texts = cases.map((one) => one.text);
    expect(texts.filter((text, i) => texts.indexOf(text) !== i)).toEqual([]);
  }
});

/** Where in a JSON value something is, as JSONPath writes it (RFC 9535): `$.a[0]["b c"]`. Pure. */

/** A member's name, an item's number, or the step into JSON that a string holds. */
export type PathStep = string | number | { within: "json" };

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** JSON within a string begins a path of its own: `$.body » $.id`. */
export function pathText(steps: readonly PathStep[]): string {
  let text = "$";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (typeof step === "object") text += " » $";
    else text += NAME.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  }
  return text;
}

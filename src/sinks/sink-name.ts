/** The name under which the store keeps the cursor of a service. Another address is another service, with a cursor of its own. */
export function sinkName(url: string): string {
  return `base-in ${url}`;
}

/**
 * What sends recordings on to a service, as the server knows it: something to look after, and a reason to stay while it is busy. What
 * it sends and where to is none of the server's business.
 */
export interface Forwarding {
  /** True while something is on its way. What only waits is no reason to stay. */
  readonly isDelivering: boolean;
  /** About once a second. Never throws. */
  tick(): void;
  /** What is under way is the last; what waits stays for the next server. */
  close(): Promise<void>;
}

/** Where nothing is sent anywhere. */
export const NO_FORWARDING: Forwarding = {
  isDelivering: false,
  tick: () => {},
  close: async () => {},
};

/** How long the bodies may be that the control server takes. */

const MIB = 1024 * 1024;

/** A hook's report, and a proxy's registration. */
export const HOOK_BODY_BYTES = 32 * MIB;
/** A proxy's batch. */
export const PROXY_BODY_BYTES = 64 * MIB;

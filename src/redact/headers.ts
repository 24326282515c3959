/**
 * Names of HTTP headers: which never carry a secret. In a block of headers every other value is masked.
 */

import { words } from "./lazy.ts";

/** Headers whose value stays readable in a block of headers. Anything not listed here is masked. */
const SAFE_HEADERS = words(
  `accept accept-ch accept-charset accept-encoding accept-language accept-patch accept-ranges age allow alt-svc
  cache-control cf-cache-status cf-ray connection content-disposition content-encoding content-language content-length
  content-location content-range content-security-policy content-type cross-origin-embedder-policy
  cross-origin-opener-policy cross-origin-resource-policy date deprecation dnt etag expect expires from host if-match
  if-modified-since if-none-match if-range if-unmodified-since keep-alive last-event-id last-modified link location
  max-forwards mcp-method mcp-name mcp-protocol-version nel openai-processing-ms openai-version anthropic-version
  anthropic-beta origin permissions-policy pragma prefer priority range ratelimit ratelimit-limit ratelimit-policy
  ratelimit-remaining ratelimit-reset referer referrer-policy report-to request-id retry-after sec-ch-ua
  sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc
  sec-websocket-extensions sec-websocket-protocol sec-websocket-version server server-timing status
  strict-transport-security sunset te timing-allow-origin tk traceparent tracestate trailer transfer-encoding upgrade
  upgrade-insecure-requests user-agent vary via warning x-amz-request-id x-amzn-requestid x-amzn-trace-id x-cache
  x-cache-hits x-content-type-options x-correlation-id x-dns-prefetch-control x-download-options x-envoy-upstream-service-time
  x-frame-options x-github-api-version x-github-media-type x-github-request-id x-permitted-cross-domain-policies
  x-powered-by x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset x-ratelimit-resource x-ratelimit-used
  x-request-id x-requested-with x-response-time x-robots-tag x-runtime x-served-by x-timer x-total-count
  x-ua-compatible x-xss-protection`,
);

/** True for a header whose value is never a secret. */
export function isSafeHeader(name: string): boolean {
  const lower = name.trim().toLowerCase();
  return SAFE_HEADERS.has(lower) || lower.startsWith("access-control-");
}

/** True for a word that is a header's name where it could also be the head of a table's column. */
export function isHeaderName(name: string): boolean {
  return /^(?:authorization|cookie|cookie2|set-cookie|[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+)$/i.test(name.trim());
}

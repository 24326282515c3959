/** Which way bytes go. Each side numbers its own requests, so ids only mean something together with a direction. */
export type Direction = "to-upstream" | "to-host";

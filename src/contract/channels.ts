/** The channels by which downloads are authorized and completed, as `route` reports them (listing, "Download events"). */
export const DOWNLOAD_CHANNELS = {
  authorized: ["api", "page", "direct", "terminal", "mcp"],
  completed: ["signed", "archive"],
} as const;

/** The entry point of a call, which events record. It labels the call, and decides nothing. */
export type Channel = (typeof DOWNLOAD_CHANNELS)[keyof typeof DOWNLOAD_CHANNELS][number] | "curl" | "delegation" | "command";

/** Paths of the pages and forms of an account's shares. */
export const SHARES_PATH = "/shares";
export const EXTEND_PATH = "/shares/extend";
export const closePath = (shortId: string): string => `/shares/${encodeURIComponent(shortId)}/close`;
export const downloadsPath = (shortId: string): string => `/shares/${encodeURIComponent(shortId)}/downloads`;

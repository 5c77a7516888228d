/** Paths of the pages and forms of an account's shares. */
export const SHARES_PATH = "/shares";
/** The list of the shares that have ended. */
export const ENDED_SHARES_PATH = "/shares?state=ended";
export const EXTEND_PATH = "/shares/extend";
export const closePath = (shortId: string): string => `/shares/${encodeURIComponent(shortId)}/close`;
export const downloadsPath = (shortId: string): string => `/shares/${encodeURIComponent(shortId)}/downloads`;
export const shareAgainPath = (shortId: string): string => `/shares/${encodeURIComponent(shortId)}/share-again`;
export const removeFromListPath = (shortId: string): string => `/shares/${encodeURIComponent(shortId)}/remove-from-list`;

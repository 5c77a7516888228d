/** Paths of the pages of requests: of a link, of its receipts, and of the account that created the request. */
export const linkPath = (token: string): string => `/r/${encodeURIComponent(token)}`;
export const receiptPath = (token: string, shortId: string, deletionToken: string): string =>
  `${linkPath(token)}/${encodeURIComponent(shortId)}/${encodeURIComponent(deletionToken)}`;
/** Returns the command that sends files to an encrypted request in a terminal. */
export const sendCommand = (requestUrl: string): string => ["filehost", "up", "FILE", "--request", `'${requestUrl}'`].join(" ");
/** Returns the command that downloads and decrypts what one sender sent to an encrypted request. */
export const decryptCommand = (shareUrl: string): string => ["filehost", "down", `'${shareUrl}'`, "--identity", "FILE"].join(" ");
export const REQUESTS_PATH = "/requests";
export const requestPath = (id: string): string => `${REQUESTS_PATH}/${encodeURIComponent(id)}`;
/** The actions of buttons on the page of a request. */
export const REQUEST_ACTIONS = ["close", "reopen", "rotate", "delete", "share", "download", "bytes"] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];
/** Returns the path to which the button of an action sends. */
export const actionPath = ({ id }: { readonly id: string }, action: RequestAction): string => `${requestPath(id)}/${action}`;

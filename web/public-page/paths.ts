/** Returns the path of the public page of an account. */
export const publicPagePath = (username: string): string => `/u/${encodeURIComponent(username)}`;

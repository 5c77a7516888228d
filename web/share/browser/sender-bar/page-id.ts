/** Returns the short ID in the path of the share's page. */
export const shortIdOfPage = (): string | undefined => /^\/d\/([^/]+)$/.exec(location.pathname)?.[1];

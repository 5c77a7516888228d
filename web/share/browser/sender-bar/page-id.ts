/** Returns the short ID in the path of the share's page. */
export const shortIdOfPage = (): string | undefined => /^\/d\/([^/]+)$/.exec(location.pathname)?.[1];

/** Finds the owner's page of an ended share, which says why it has ended, and has the button that removes it. */
export const findEndedPage = (): Element | null => document.querySelector(".ended-share");

/** Returns the reason why the page cannot show the share; undefined if it shows it. */
export const findEndReason = (): string | undefined => document.querySelector(".message")?.closest<HTMLElement>("main")?.dataset.state;

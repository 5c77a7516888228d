/** The part of the fragment with which the front page opens the page of a share that it has just sent. */
export const JUST_SENT = "sent";

/** Whether the front page has just sent the share of this page. */
export const isJustSent = (): boolean => location.hash.slice(1).split("&").includes(JUST_SENT);

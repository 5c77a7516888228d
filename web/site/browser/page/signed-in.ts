import { type NoticeChoices, readNoticeChoices } from "../../notify-select.tsx";

/** Whether the page belongs to a signed-in account. */
export const isSignedIn = (): boolean => document.body.classList.contains("signed-in");

/** Returns the ID of the signed-in account; undefined without one. */
export const getAccountId = (): string | undefined => document.body.dataset.account;

/** Returns which notices the signed-in account gets of shares without their own choice; none without an account. */
export const getNoticeChoices = (): NoticeChoices => readNoticeChoices(document.body.dataset.notices);

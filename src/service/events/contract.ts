/** All events of a file (webhooks, "Events"). In a contract, because webhook endpoints choose from them. */
export const FILE_EVENTS = ["file.ready", "file.failed", "file.expired", "file.authorized", "file.downloaded"] as const;
export type FileEvent = (typeof FILE_EVENTS)[number];
/** Sent only by the test route, to any endpoint. */
export const TEST_EVENT = "webhook.test";

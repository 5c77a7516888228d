/** Paths of the administration's pages. */
export const ADMIN_PATH = "/admin";
export const USERS_PATH = "/admin/users";
export const INVITES_PATH = "/admin/invites";
export const AUDIT_LOG_PATH = "/admin/audit-log";

export const userPath = (id: string): string => `${USERS_PATH}/${encodeURIComponent(id)}`;

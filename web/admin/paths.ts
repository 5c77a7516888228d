/** Paths of the administration's pages. */
export const ADMIN_PATH = "/admin";
export const USERS_PATH = "/admin/users";
export const INVITES_PATH = "/admin/invites";
export const SITE_SETTINGS_PATH = "/admin/settings";
export const REPORTS_PATH = "/admin/reports";
export const ADMIN_FILES_PATH = "/admin/files";
export const JOBS_PATH = "/admin/jobs";
export const BLOCKLIST_PATH = "/admin/blocklist";
export const AUDIT_LOG_PATH = "/admin/audit-log";

export const userPath = (id: string): string => `${USERS_PATH}/${encodeURIComponent(id)}`;

export const deleteUserPath = (id: string): string => `${userPath(id)}/delete`;

/** Returns the path of the audit log of the actions by an account, or on it. */
export const auditLogOf = (role: "actor" | "subject", id: string): string => `${AUDIT_LOG_PATH}?${new URLSearchParams({ [role]: id })}`;

export const reportPath = (id: string): string => `${REPORTS_PATH}/${encodeURIComponent(id)}`;

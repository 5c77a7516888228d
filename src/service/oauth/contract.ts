import { z } from "zod";
import { OAUTH_SCOPES } from "../../contract/oauth-scopes.ts";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, text } from "../../contract/scalars.ts";

const applicationId = described(text(64).min(1), "The connection's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");

const application = z
  .object({
    id: applicationId,
    name: described(z.string(), "As the application calls itself; may be empty", "Claude"),
    host: described(
      z.string().nullable(),
      "Host to which the browser went back, or the scheme of an application; null: a program on a device",
      "claude.ai",
    ),
    scopes: described(z.array(z.enum(OAUTH_SCOPES)), "What it may do", ["files.read", "files.write"]),
    connectedAt: described(dateTime, "When the account first allowed it", "2030-01-30T12:00:00Z"),
    lastUsedAt: described(dateTime.nullable(), "Its last request, exact to an hour", "2030-01-31T12:00:00Z"),
  })
  .meta({ id: "Application", description: "An application that may act for the account" });

/** oauth, "Connected applications". */
export const applicationsContract = {
  listApplications: defineOperation({
    summary: "List the connected applications",
    description: "The one that was used last comes first.",
    tag: "Accounts",
    method: "GET",
    path: "/auth/applications",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(application),
    errors: {},
  }),
  disconnectApplication: defineOperation({
    summary: "Disconnect an application",
    description: "Its tokens end with the next request.",
    tag: "Accounts",
    method: "DELETE",
    path: "/auth/applications/{id}",
    access: "full",
    input: () => z.object({ id: applicationId }),
    envelope: "data",
    output: () => z.object({ id: applicationId }),
    errors: { 404: "Unknown or not yours" },
  }),
} as const;

import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, text } from "../../contract/scalars.ts";

const connectionId = described(text(64).min(1), "The connection's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");

const connection = z
  .object({
    id: connectionId,
    provider: described(z.string(), "The provider's name", "Example login"),
    createdAt: described(dateTime, "When it was connected", "2030-01-30T12:00:00Z"),
    isUsable: described(z.boolean(), "Whether the account can sign in with it: the server's provider may have changed", true),
  })
  .meta({ id: "Connection", description: "An identity at an OpenID Connect provider with which an account signs in" });

/** accounts, "OpenID Connect". */
export const connectionContract = {
  listConnections: defineOperation({
    summary: "List the connected identities",
    description: "With these the account signs in at an OpenID Connect provider. They are connected on the page `/settings/security`.",
    tag: "Accounts",
    method: "GET",
    path: "/auth/connections",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(connection),
    errors: {},
  }),
  disconnect: defineOperation({
    summary: "Disconnect an identity",
    tag: "Accounts",
    method: "DELETE",
    path: "/auth/connections/{id}",
    access: "full",
    input: () => z.object({ id: connectionId }),
    envelope: "data",
    output: () => z.object({ id: connectionId }),
    errors: {
      403: "The session has not proved its password within 15 minutes",
      404: "Unknown or not yours",
      409: "The account would have no other way to sign in, or the request was sent with a key",
    },
  }),
} as const;

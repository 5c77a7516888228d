import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { deleteInvite, insertInvite, listInvites } from "./invites.ts";

/** `GET /admin/invites`: lists invites, oldest first. */
export const listOpenInvites: AdministratorOperation<"listOpenInvites"> = (ctx) => listInvites(ctx);

/** `POST /admin/invites`: creates an invite. Only this response contains the link. */
export const createInvite: AdministratorOperation<"createInvite"> = async (ctx, call, { email, role = "user" }) => {
  const created = await commitResponse(ctx, call, (ctx) => insertInvite(ctx, call, { role, email: email ?? undefined }));
  ctx.wakeJobs();
  return created;
};

/** `DELETE /admin/invites/{id}`. */
export const revokeInvite: AdministratorOperation<"revokeInvite"> = (ctx, call, { id }) =>
  commitResponse(ctx, call, (ctx) => deleteInvite(ctx, call, id));

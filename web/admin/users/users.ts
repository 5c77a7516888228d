import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { refusedField, respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { USER_FILTERS } from "../../../src/service/administration/users-contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { userPath } from "../paths.ts";
import { readTier } from "./user.ts";
import { NEW_USER_FIELDS, type NewUserProblem, renderUsersPage } from "./users-page.tsx";

export const showUsersPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondUsers(c, call);

/** Handles `POST /admin/users`: creates an account and redirects to its page. */
export async function postNewUser(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  const textOf = (name: string): string => form.get(name)?.trim() ?? "";
  const isAdmin = form.get("admin") === "true";
  const tier = readTier(form);
  const [email, name, username] = [textOf("email"), textOf("name"), textOf("username")];
  const refuse = (problem: Pick<NewUserProblem, "text" | "field">, refusal: AppError): Promise<Response> => {
    const entered = { email, name, username, until: textOf("until"), tier: tier.tier ?? "free", isAdmin };
    return respondUsers(c, call, { ...problem, entered }, refusal);
  };
  return await respondToRefusals(
    async () => {
      const names = { email, name, username: username.toLowerCase() || undefined };
      const { id } = await operations.addUser(c.env.ctx, call, { ...names, ...tier, role: isAdmin ? "admin" : "user" });
      return redirect(c, 303, `${userPath(id)}?created`);
    },
    {
      CONFLICT: (refusal) => refuse({ text: pageContext(c).texts.adminUser.taken }, refusal),
      VALIDATION_FAILED: (refusal) => refuse(describeInvalid(c, refusal), refusal),
    },
  );
}

function describeInvalid(c: HttpContext, refusal: AppError): Pick<NewUserProblem, "text" | "field"> {
  const { admin, adminUser } = pageContext(c).texts;
  const field = NEW_USER_FIELDS.find((name) => name === refusedField(refusal)) ?? "until";
  const texts = {
    email: admin.invalidEmail,
    name: adminUser.nameInvalid,
    username: adminUser.usernameInvalid,
    until: admin.invalidUntil,
  };
  return { field, text: texts[field] };
}

async function respondUsers(c: HttpContext, call: RequestContext, problem?: NewUserProblem, refusal?: AppError): Promise<Response> {
  const page = pageContext(c);
  const filter = USER_FILTERS.find((name) => name === c.req.query("filter")) ?? "people";
  const search = c.req.query("q")?.trim().slice(0, 254) ?? "";
  const cursor = c.req.query("cursor")?.slice(0, 64) || undefined;
  const { data, nextCursor } = await operations.searchUsers(c.env.ctx, call, { search, filter, cursor });
  const done = c.req.query("deleted") === undefined ? undefined : page.texts.adminUser.deleted;
  const list = { users: data, filter, search, nextCursor, isLaterPage: cursor !== undefined };
  const html = renderUsersPage(page, { ...list, done: problem ? undefined : done, problem });
  return await respondPage(c, { html, refusal });
}

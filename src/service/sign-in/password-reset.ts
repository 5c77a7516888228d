import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { getTrustedUser } from "../accounts/named-user.ts";
import { findOwner } from "../accounts/users.ts";
import { type AuditOrigin, recordAudit, toAccountId } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { createAccountLink, type NewAccountLink } from "./account-links.ts";
import { countMailRequest } from "./mail-rates.ts";

/** Validity of a mailed link that sets a password, and of an administrator's link (accounts, "A forgotten password"). */
const MAILED_MS = HOUR_MS;
const HANDED_MS = DAY_MS;

const RESET_JOB = "password-reset";

/**
 * `POST /auth/forgot`: mails a link to the account of an address. A job looks the account up, so that the response and its time are the same for
 * known and unknown addresses.
 */
export const requestPasswordReset: Operation<"requestPasswordReset"> = async (ctx, call, { email }) => {
  if (!ctx.config.mail)
    throw new AppError("CONFLICT", "This server sends no mail. Ask the administrator for a link that sets a new password.");
  await countMailRequest(ctx, { address: call.address, mailedTo: [email] });
  const response = await commitResponse(ctx, call, async (ctx) => {
    const nowMs = ctx.now();
    const subject = ctx.keyring.encrypt(email);
    await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: RESET_JOB, subject, runAtMs: nowMs, nowMs });
    return { email };
  });
  ctx.wakeJobs();
  return response;
};

/** The job that mails a link to the account of an address, if the account exists and is enabled. */
export const passwordResetJob: JobKind<Ctx> = {
  name: RESET_JOB,
  slots: () => ({ total: 2 }),
  async run(ctx, { subject }) {
    const email = decryptAddress(ctx, subject);
    if (email === undefined) return DONE;
    await ctx.transaction(async (ctx) => {
      const user = await findOwner(ctx.db, email);
      if (!user || user.disabled_at !== null || user.role === "agent") return;
      const { link, until } = await createLink(ctx, { userId: user.id, mailedTo: user.email, lifetimeMs: MAILED_MS });
      await enqueueMail(ctx, { to: user.email, language: user.language, mail: { kind: "reset", link, until } });
    });
    ctx.wakeJobs();
    return DONE;
  },
};

/** Decrypts the address; undefined if the server's secret has changed. */
function decryptAddress({ keyring }: Ctx, subject: string): string | undefined {
  try {
    return keyring.decrypt(subject).trim().toLowerCase();
  } catch {
    return undefined;
  }
}

/** A link with which a person sets a password. It is shown only once. */
interface ResetLink {
  readonly url: string;
  readonly expiresAt: string;
}

/** Creates a link with which a person sets a password, for the administrator to pass on. Throws as `getTrustedUser` does. */
export async function insertResetLink(ctx: TransactionCtx, origin: AuditOrigin, account: string): Promise<ResetLink> {
  const user = await getTrustedUser(ctx.db, account);
  await recordAudit(ctx, origin, { action: "account.reset_link_created", subject: user.id, account: user.id });
  const createdBy = toAccountId(origin);
  const { link, until } = await createLink(ctx, { userId: user.id, mailedTo: null, createdBy, lifetimeMs: HANDED_MS });
  return { url: link, expiresAt: until };
}

async function createLink(ctx: TransactionCtx, link: Omit<NewAccountLink, "purpose">) {
  const token = await createAccountLink(ctx, { ...link, purpose: "reset" });
  return { link: `${ctx.urls.siteUrl}/reset/${token}`, until: toIso(ctx.now() + link.lifetimeMs) };
}

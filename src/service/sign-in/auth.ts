import { betterAuth } from "better-auth";
import { bearer } from "better-auth/plugins/bearer";
import type { BetterAuthOptions } from "better-auth/types";
import type { Ctx } from "../../context.ts";
import { PASSWORD } from "../../contract/scalars.ts";
import { newSecret, newUuid } from "../../lib/ids.ts";
import { SESSION_MS, SESSION_PREFIX } from "../accounts/sessions.ts";
import { authDatabase } from "./auth-database.ts";

export type Auth = ReturnType<typeof openAuth>;

/**
 * Opens better-auth on filehost's tables. Its own routes are not mounted: operations call its functions. They never run in a transaction, because
 * they hash passwords between their statements.
 */
export function openAuth(ctx: Ctx) {
  return betterAuth({
    ...authOptions(ctx),
    baseURL: ctx.urls.siteUrl,
    database: authDatabase(() => ctx.db),
    account: { modelName: "signInMethods", accountLinking: { disableImplicitLinking: true } },
    emailAndPassword: { enabled: true, minPasswordLength: PASSWORD.minLength, maxPasswordLength: PASSWORD.maxLength },
    databaseHooks: {
      session: { create: { before: async (session) => ({ data: { ...session, token: newSecret(ctx.random, SESSION_PREFIX) } }) } },
    },
    plugins: [bearer()],
  });
}

/** What all uses of the library have in common: its tables, and no routes, limits and reports of its own. */
export const authOptions = (ctx: Ctx) =>
  ({
    appName: ctx.config.branding.name,
    secret: ctx.keyring.sign("better-auth"),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { log: (level, message, ...details) => ctx.log[level]({ details }, message) },
    advanced: { database: { generateId: () => newUuid(ctx.random, ctx.now()) } },
    user: { modelName: "users" },
    session: { modelName: "sessions", expiresIn: SESSION_MS / 1000, disableSessionRefresh: true },
    verification: { modelName: "verifications", storeIdentifier: "hashed" },
  }) as const satisfies BetterAuthOptions;

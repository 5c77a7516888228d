import assert from "node:assert/strict";
import { toTotpCode } from "../../../../src/service/sign-in/totp.ts";
import { call, clientOf, type InputOf } from "../api/api.ts";

type Server = { readonly url: string };

const STEP_MS = 30_000;

/** An account with two-step sign-in. */
export interface TwoStepAccount<Person> {
  readonly input: Person;
  readonly userId: string;
  readonly sessionToken: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** Returns an unused code, once, because the server accepts no further one for half a minute. */
  nextCode(): string;
}

/** Returns the code that an authenticator app shows now, or after `stepsLater` steps. */
export const codeOf = (secret: string, stepsLater = 0, nowMs = Date.now()): string =>
  toTotpCode(secret, Math.floor(nowMs / STEP_MS) + stepsLater);

/** Signs a person up and turns on two-step sign-in. */
export async function signUpWithTotp<Person extends InputOf<"signUp">>(
  server: Server,
  person: Person,
  headers: Record<string, string> = {},
): Promise<TwoStepAccount<Person>> {
  const { data } = await clientOf(server, { headers }).call("signUp", person);
  const client = clientOf(server, { key: data.sessionToken });
  const { secret } = (await client.call("startTotp", {})).data;
  const { recoveryCodes } = (await client.call("confirmTotp", { code: codeOf(secret) })).data;
  return {
    input: person,
    userId: data.owner.id,
    sessionToken: data.sessionToken,
    secret,
    recoveryCodes,
    nextCode: () => codeOf(secret, 1),
  };
}

/** Sends the password; resolves to the token of the second step. */
export async function startSignIn(server: Server, { email, password }: Pick<InputOf<"signUp">, "email" | "password">): Promise<string> {
  const { status, body } = await call(server, "POST", "/api/auth/sign-in", { json: { login: email, password } });
  assert.deepEqual([status, body.errorCode], [403, "SECOND_FACTOR_REQUIRED"]);
  assert.equal(body.data, undefined);
  return String(body.signInToken);
}

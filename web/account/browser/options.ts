import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import { passkeys as texts } from "#texts/account";
import { type ErrorJson, toSentence } from "../../site/browser/api.ts";
import type { PasskeyUse } from "../passkeys/passkey-use.ts";

/** Why the server refuses; the message is a sentence for people. */
export class PasskeyRefused extends Error {
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

const PATHS: Readonly<Record<PasskeyUse, string>> = {
  "sign-in": "/api/auth/sign-in/passkey/options",
  prove: "/api/auth/prove/passkey/options",
  add: "/api/auth/passkeys/options",
};

type Options<Use extends PasskeyUse> = Use extends "add" ? PublicKeyCredentialCreationOptionsJSON : PublicKeyCredentialRequestOptionsJSON;

/** Gets what the browser needs for a passkey, with a challenge for 5 minutes. Throws `PasskeyRefused`. */
export async function fetchOptions<Use extends PasskeyUse>(use: Use): Promise<Options<Use>> {
  const response = await fetch(PATHS[use], { method: "POST" }).catch(() => undefined);
  const body = (await response?.json().catch(() => ({}))) as { data: { options: Options<Use> } } & ErrorJson;
  if (response?.ok) return body.data.options;
  if (!response) throw new PasskeyRefused(texts.problems.offline, undefined);
  if (body.errorCode === "CONFLICT" && use === "add") throw new PasskeyRefused(texts.problems.tooMany, body.errorCode);
  throw new PasskeyRefused(toSentence(body) ?? texts.problems.failed, body.errorCode);
}

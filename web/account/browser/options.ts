import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import { passkeys as texts } from "#texts/account";
import type { contract, ResponseOf } from "../../../src/service/contract.ts";
import { type ErrorJson, toSentence } from "../../site/browser/api.ts";
import type { PasskeyUse } from "../passkeys/passkey-use.ts";

/** The server's refusal of a passkey. Its message is a sentence for people. */
export class PasskeyRefused extends Error {
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** The operation that starts each use of a passkey. */
interface Starts {
  readonly "sign-in": "startPasskeySignIn";
  readonly prove: "startPasskeyProof";
  readonly add: "startPasskey";
}

const PATHS: { readonly [Use in PasskeyUse]: `/api${(typeof contract)[Starts[Use]]["path"]}` } = {
  "sign-in": "/api/auth/sign-in/passkey/options",
  prove: "/api/auth/prove/passkey/options",
  add: "/api/auth/passkeys/options",
};

type Options<Use extends PasskeyUse> = Use extends "add" ? PublicKeyCredentialCreationOptionsJSON : PublicKeyCredentialRequestOptionsJSON;

/** The response with options. The contract leaves their members to WebAuthn. */
type Answer<Use extends PasskeyUse> = ResponseOf<Starts[Use]> & { readonly data: { readonly options: Options<Use> } };

/** Gets the options for a passkey, with a challenge that is valid for 5 minutes. Throws `PasskeyRefused`. */
export async function fetchOptions<Use extends PasskeyUse>(use: Use): Promise<Options<Use>> {
  const response = await fetch(PATHS[use], { method: "POST" }).catch(() => undefined);
  const body = (await response?.json().catch(() => ({}))) as Answer<Use> & ErrorJson;
  if (response?.ok) return body.data.options;
  if (!response) throw new PasskeyRefused(texts.problems.offline, undefined);
  if (body.errorCode === "CONFLICT" && use === "add") throw new PasskeyRefused(texts.problems.tooMany, body.errorCode);
  throw new PasskeyRefused(toSentence(body) ?? texts.problems.failed, body.errorCode);
}

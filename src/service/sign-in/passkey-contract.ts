import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, text } from "../../contract/scalars.ts";
import { proved, startedSession, TOO_MANY } from "./contract.ts";

/** Limits of a passkey's name, in characters, and of the number of passkeys per account (accounts, "Passkeys"). */
export const PASSKEY = { maxNameLength: 60, maxCount: 20 } as const;

const passkeyId = described(text(64).min(1), "The passkey's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");
const name = described(
  text(PASSKEY.maxNameLength).transform((value) => value.replace(/\p{Cc}/gu, " ").trim()),
  "What its owner calls it; empty: nothing yet",
  "Ada's phone",
);

const passkey = z
  .object({
    id: passkeyId,
    name,
    createdAt: described(dateTime, "When it was added", "2030-01-30T12:00:00Z"),
    lastUsedAt: described(dateTime.nullable(), "When it last signed in or proved it; null: never", "2030-01-31T12:00:00Z"),
    isUsable: described(
      z.boolean(),
      "Whether it works here: passkeys belong to the host name that the site had when they were added",
      true,
    ),
  })
  .meta({ id: "Passkey", description: "A passkey of an account" });

/** Bytes in the form that browsers use in JSON. */
const base64url = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[\w-]*$/, "give base64url without padding");

const MAX_BYTES = 16_384;
const EXAMPLE = "AQIDBAUGBwgJCgsMDQ4PEA";
const bytes = (description: string) => described(base64url(MAX_BYTES), description, EXAMPLE);
const credentialFields = {
  id: described(base64url(1400).min(1), "The credential's ID", EXAMPLE),
  rawId: described(base64url(1400).min(1), "The same", EXAMPLE),
  type: described(z.literal("public-key"), "Always `public-key`", "public-key"),
};

/** A browser's response for a new passkey: `RegistrationResponseJSON` of WebAuthn. */
const newCredential = described(
  z.object({
    ...credentialFields,
    response: described(
      z.object({
        clientDataJSON: bytes("What was signed: the challenge and the origin"),
        attestationObject: bytes("The public key, and the state of the device"),
        transports: described(z.array(z.string().max(20)).max(10).optional(), "How browsers reach the device", ["internal"]),
      }),
      "What the device returned",
    ),
  }),
  "What `navigator.credentials.create` returned, as JSON; further members are ignored",
);

/** A browser's response for a used passkey: `AuthenticationResponseJSON` of WebAuthn. */
const usedCredential = described(
  z.object({
    ...credentialFields,
    response: described(
      z.object({
        clientDataJSON: bytes("What was signed: the challenge and the origin"),
        authenticatorData: bytes("The state of the device"),
        signature: bytes("The signature"),
        userHandle: described(base64url(128).optional(), "The account, as the device knows it", EXAMPLE),
      }),
      "What the device returned",
    ),
  }),
  "What `navigator.credentials.get` returned, as JSON; further members are ignored",
);

export type NewCredential = z.infer<typeof newCredential>;
export type UsedCredential = z.infer<typeof usedCredential>;

const options = (type: string, method: string) =>
  z.object({
    options: described(
      z.record(z.string(), z.unknown()),
      `\`${type}\` of WebAuthn, for \`navigator.credentials.${method}\`; its challenge works once, for 5 minutes`,
      { challenge: EXAMPLE },
    ),
  });

const NO_PROOF = "The session has not given a proof within 15 minutes, or the request was sent with a key";
const NO_HOST = "Passkeys need a site with a host name";
const NOT_VALID = "The response is not valid for this site, was used before, or came after 5 minutes";

/** accounts, "Passkeys". */
export const passkeyContract = {
  listPasskeys: defineOperation({
    summary: "List the account's passkeys",
    tag: "Accounts",
    method: "GET",
    path: "/auth/passkeys",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(passkey),
    errors: {},
  }),
  startPasskey: defineOperation({
    summary: "Start to add a passkey",
    description: "Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/passkeys/options",
    access: "full",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () => options("PublicKeyCredentialCreationOptionsJSON", "create"),
    errors: { 403: NO_PROOF, 409: `${NO_HOST}, or the account has the largest number`, 429: TOO_MANY },
  }),
  addPasskey: defineOperation({
    summary: "Add the passkey that a browser made",
    tag: "Accounts",
    method: "POST",
    path: "/auth/passkeys",
    access: "full",
    input: () => z.object({ credential: newCredential, name: described(name.nullish(), "What its owner calls it", "Ada's phone") }),
    envelope: "data",
    output: () => passkey,
    errors: { 403: `${NOT_VALID}. ${NO_PROOF}`, 409: "It was added before, or the account has the largest number", 429: TOO_MANY },
  }),
  renamePasskey: defineOperation({
    summary: "Rename a passkey",
    tag: "Accounts",
    method: "PATCH",
    path: "/auth/passkeys/{id}",
    access: "full",
    input: () => z.object({ id: passkeyId, name }),
    envelope: "data",
    output: () => passkey,
    errors: { 404: "Unknown or not yours" },
  }),
  removePasskey: defineOperation({
    summary: "Remove a passkey",
    description: "It signs in no more. The device keeps its half, which has no use then.",
    tag: "Accounts",
    method: "DELETE",
    path: "/auth/passkeys/{id}",
    access: "full",
    input: () => z.object({ id: passkeyId }),
    envelope: "data",
    output: () => z.object({ id: passkeyId }),
    errors: { 403: NO_PROOF, 404: "Unknown or not yours", 409: "The account would have no other way to sign in" },
  }),
  startPasskeySignIn: defineOperation({
    summary: "Start to sign in with a passkey",
    description: "The device finds the account: no address is needed. Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/sign-in/passkey/options",
    access: "public",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () => options("PublicKeyCredentialRequestOptionsJSON", "get"),
    errors: { 409: NO_HOST, 429: TOO_MANY },
  }),
  signInWithPasskey: defineOperation({
    summary: "Sign in with a passkey",
    description: "A passkey is both steps: it needs no code.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/sign-in/passkey",
    access: "public",
    input: () => z.object({ credential: usedCredential }),
    envelope: "data",
    output: () => startedSession,
    errors: { 401: `The passkey is unknown, or its account is disabled. ${NOT_VALID}`, 429: TOO_MANY },
  }),
  startPasskeyProof: defineOperation({
    summary: "Start to prove it with a passkey",
    description: "Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/prove/passkey/options",
    access: "full",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () => options("PublicKeyCredentialRequestOptionsJSON", "get"),
    errors: { 409: `${NO_HOST}, or the request was sent with a key`, 429: TOO_MANY },
  }),
  proveWithPasskey: defineOperation({
    summary: "Prove with a passkey who uses the session",
    description: "What needs a proof is allowed to this session for 15 minutes.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/prove/passkey",
    access: "full",
    input: () => z.object({ credential: usedCredential }),
    envelope: "data",
    output: () => proved,
    errors: { 403: `The passkey is not of this account. ${NOT_VALID}`, 409: "The request was sent with a key", 429: TOO_MANY },
  }),
} as const;

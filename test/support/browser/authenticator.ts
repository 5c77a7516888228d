import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** Faults of a device, in its data and behaviour. */
export interface AuthenticatorFaults {
  /** The origin of the page that the device reports. */
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** Whether the device did not ask for its owner's finger, face or PIN. */
  readonly isUnverified?: boolean;
  /** The counter of the passkey; default: one more than before. */
  readonly counter?: number;
  readonly userHandle?: string;
}

export interface Authenticator {
  /** Returns the credential that a browser sends for a new passkey. */
  make(options: Readonly<Record<string, unknown>>, faults?: AuthenticatorFaults): ReturnType<typeof toNewCredential>;
  /** Returns the credential that a browser sends when the passkey is used. */
  use(options: Readonly<Record<string, unknown>>, faults?: AuthenticatorFaults): ReturnType<typeof toUsedCredential>;
}

const ORIGIN = "http://localhost";
/** The AAGUID of Bitwarden, by which the server names the passkey. */
const AAGUID = Buffer.from("d548826e79b4db40a3d811116f7e8349", "hex");
const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

/** Creates a device with one passkey (ES256, WebAuthn level 3), in software. */
export function createAuthenticator(defaults: { readonly origin?: string; readonly doesNotCount?: boolean } = {}): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let counter = 0;
  let userHandle: string | undefined;

  const toClientData = (type: string, options: Readonly<Record<string, unknown>>, faults: AuthenticatorFaults): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: faults.challenge ?? options.challenge,
        origin: faults.origin ?? defaults.origin ?? ORIGIN,
        crossOrigin: false,
      }),
    );

  function toAuthenticatorData(flags: number, faults: AuthenticatorFaults): Buffer {
    counter = faults.counter ?? (defaults.doesNotCount ? 0 : counter + 1);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const rpId = faults.rpId ?? new URL(defaults.origin ?? ORIGIN).hostname;
    const state = flags | PRESENT | (faults.isUnverified ? 0 : VERIFIED);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([state]), count]);
  }

  return {
    make(options, faults = {}) {
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const key = isoCBOR.encode(
        new Map<number, number | Uint8Array<ArrayBuffer>>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, "base64url"))],
          [-3, new Uint8Array(Buffer.from(y, "base64url"))],
        ]),
      );
      userHandle = (options.user as { readonly id: string }).id;
      const authData = Buffer.concat([toAuthenticatorData(HAS_KEY, faults), AAGUID, Buffer.from([0, id.length]), id, key]);
      const attestation = new Map<string, string | Map<string, string> | Uint8Array<ArrayBuffer>>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(authData)],
      ]);
      return toNewCredential(toText(id), toClientData("webauthn.create", options, faults), isoCBOR.encode(attestation));
    },
    use(options, faults = {}) {
      const clientData = toClientData("webauthn.get", options, faults);
      const authData = toAuthenticatorData(0, faults);
      const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()]);
      return toUsedCredential(toText(id), {
        clientData,
        authData,
        signature: sign("sha256", signed, privateKey),
        userHandle: faults.userHandle ?? userHandle,
      });
    },
  };
}

const named = (id: string) => ({ id, rawId: id, type: "public-key" }) as const;

const toNewCredential = (id: string, clientData: Uint8Array, attestation: Uint8Array) => ({
  ...named(id),
  response: { clientDataJSON: toText(clientData), attestationObject: toText(attestation), transports: ["internal"] },
});

interface Assertion {
  readonly clientData: Uint8Array;
  readonly authData: Uint8Array;
  readonly signature: Uint8Array;
  readonly userHandle: string | undefined;
}

const toUsedCredential = (id: string, { clientData, authData, signature, userHandle }: Assertion) => ({
  ...named(id),
  response: {
    clientDataJSON: toText(clientData),
    authenticatorData: toText(authData),
    signature: toText(signature),
    ...(userHandle !== undefined && { userHandle }),
  },
});

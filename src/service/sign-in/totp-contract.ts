import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { code, TOO_MANY } from "./contract.ts";

const recoveryCodes = z.object({
  recoveryCodes: described(
    secret(z.array(described(z.string(), "A recovery code", "7K2M-QXRW-4TFA"))),
    "Ten codes, each for one sign-in without the app; shown once",
    ["7K2M-QXRW-4TFA"],
  ),
});
const NO_PROOF = "The session has not proved its password within 15 minutes, or the request was sent with a key";

/** accounts, "Two-step sign-in". */
export const totpContract = {
  getTotp: defineOperation({
    summary: "Get whether signing in needs a code",
    tag: "Accounts",
    method: "GET",
    path: "/auth/totp",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () =>
      z.object({
        isOn: described(z.boolean(), "Whether it does", true),
        since: described(dateTime.nullable(), "Since when; null if it is off", "2030-01-30T12:00:00Z"),
        recoveryCodesLeft: described(z.int(), "Recovery codes that were not used", 9),
      }),
    errors: {},
  }),
  startTotp: defineOperation({
    summary: "Start to set up an authenticator app",
    description: "Returns the same secret until it is confirmed, for 15 minutes. Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/totp",
    access: "full",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () =>
      z.object({
        secret: described(secret(z.string()), "The secret, to be typed into the app; base32", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
        url: described(
          secret(z.string()),
          "The same as a URL, to be shown as a QR code",
          "otpauth://totp/filehost:ada%40example.org?secret=JBSWY3DP",
        ),
      }),
    errors: { 403: NO_PROOF, 409: "Two-step sign-in is on" },
  }),
  confirmTotp: defineOperation({
    summary: "Turn two-step sign-in on with the app's first code",
    tag: "Accounts",
    method: "POST",
    path: "/auth/totp/confirm",
    access: "full",
    input: () => z.object({ code }),
    envelope: "data",
    output: () => recoveryCodes,
    errors: { 403: `The code is wrong. ${NO_PROOF}`, 409: "No app is being set up", 429: TOO_MANY },
  }),
  endTotp: defineOperation({
    summary: "Turn two-step sign-in off",
    description: "Deletes the app's secret and the recovery codes.",
    tag: "Accounts",
    method: "DELETE",
    path: "/auth/totp",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.object({ isOn: described(z.boolean(), "Whether signing in needs a code", false) }),
    errors: { 403: NO_PROOF, 409: "It is off" },
  }),
  createRecoveryCodes: defineOperation({
    summary: "Replace the recovery codes",
    description: "The earlier ones stop working. Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/recovery-codes",
    access: "full",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () => recoveryCodes,
    errors: { 403: NO_PROOF, 409: "Two-step sign-in is off" },
  }),
} as const;

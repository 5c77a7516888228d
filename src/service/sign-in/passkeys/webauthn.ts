/**
 * Loads the WebAuthn library at its first use. Its certificate reader requires `reflect-metadata` first; in the compiled executable, the library's
 * own import comes too late.
 */
export async function loadWebAuthn(): Promise<typeof import("@simplewebauthn/server")> {
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}

/**
 * Loads the WebAuthn library at its first use. What it reads certificates with needs `reflect-metadata` before it; in the compiled executable,
 * the library's own import of that comes too late.
 */
export async function loadWebAuthn(): Promise<typeof import("@simplewebauthn/server")> {
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}

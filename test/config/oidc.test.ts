import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";

const PROVIDER = { FILEHOST_OIDC_ISSUER: "https://login.example.org/realms/main/", FILEHOST_OIDC_CLIENT_ID: "filehost" };

/** accounts, "OpenID Connect" */

test("a server has an OpenID Connect provider if its issuer and the client's ID are set", () => {
  assert.equal(loadConfig({}).config.oidc, undefined);
  const scopes = "openid email profile";
  assert.deepEqual(loadConfig(PROVIDER).config.oidc, {
    issuer: "https://login.example.org/realms/main/",
    clientId: "filehost",
    clientSecret: undefined,
    name: "login.example.org",
    scopes,
    hasTwoStep: false,
  });
  assert.equal(loadConfig({ ...PROVIDER, FILEHOST_OIDC_TWO_STEP: "on" }).config.oidc?.hasTwoStep, true);
  const named = loadConfig({ ...PROVIDER, FILEHOST_OIDC_NAME: " Our login ", FILEHOST_OIDC_SCOPES: "openid, groups" }).config.oidc;
  assert.deepEqual([named?.name, named?.scopes], ["Our login", "openid groups"]);
});

test("a server refuses half a provider, and settings that no provider has", () => {
  for (const env of [
    { FILEHOST_OIDC_ISSUER: "https://login.example.org" },
    { FILEHOST_OIDC_CLIENT_ID: "filehost" },
    { ...PROVIDER, FILEHOST_OIDC_ISSUER: "login.example.org" },
    { ...PROVIDER, FILEHOST_OIDC_ISSUER: "ftp://login.example.org" },
    { ...PROVIDER, FILEHOST_OIDC_SCOPES: "email" },
    { ...PROVIDER, FILEHOST_OIDC_NAME: "x".repeat(41) },
  ])
    assert.throws(() => loadConfig(env), /FILEHOST_OIDC_/, JSON.stringify(env));
});

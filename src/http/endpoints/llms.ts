import type { Tier } from "../../config/tiers.ts";
import type { Ctx } from "../../context.ts";
import { describeDuration } from "../../lib/text/duration.ts";
import { formatSize } from "../../lib/text/format-size.ts";

/** Returns the text of `llms.txt`, which describes this server to agents, with its configured limits. */
export function toLlmsText(ctx: Pick<Ctx, "urls" | "config" | "scanner">): string {
  const { siteUrl, apiUrl, mcpUrl } = ctx.urls;
  const { challenges, registrations, importsAnonymous, importsAgent } = ctx.config.rates;
  return `# filehost

> Send a file, get a link. Anyone with the link can download the file${ctx.scanner.mode === "clamd" ? " after a malware scan" : ""}.

- API: ${apiUrl} (described at ${siteUrl}/agent-openapi.json)
- Tools by MCP: ${mcpUrl}/mcp with OAuth or a key as bearer token, ${mcpUrl}/mcp/guest without one. For people: ${siteUrl}/mcp
- Limits and features of this server, as JSON: ${apiUrl}/agent/capabilities

## Upload

${
  ctx.config.anonymousUploads
    ? `No key is required. The response is the share link; its headers X-Claim-Token and X-Deletion-Token (with \`protect=1\`, X-Unlock-Code and X-Handoff-Url) are shown once.

    curl -T report.pdf ${siteUrl}/
    curl -T report.pdf -H 'Accept: application/json' '${siteUrl}/?ttl=24h&once=true'`
    : `A key is required. The response is the share link.

    curl -T report.pdf -H 'Authorization: Bearer bc_...' ${siteUrl}/`
}

Several files: \`curl -T '{a.txt,b.txt}' ${siteUrl}/\` or \`curl -F file=@a.txt -F file=@b.txt ${siteUrl}/\` print one link per line.
Publish fields, as query parameters here and as form fields or JSON elsewhere: ttl (30m, 24h, 7d), expiresAt, once, maxDownloads, protect, password (never in a query: here the header X-Password), handoffMessage, title, message, notify, runId, visibility, direct, retention, openShare, shareShortId, shareToken, folderId, relativePath. The header X-Filehost-Warning lists unknown parameters.
JSON response, for files of up to 4 MB: POST ${apiUrl}/files/upload (form field \`file\`). Larger files in parallel, resumable parts: POST ${apiUrl}/files/multipart/init, then batch-urls, PUT each part, complete.
Send an Idempotency-Key header with each write, so that you can repeat it safely.

## Download

1. GET ${apiUrl}/files/share/{shortId} until scanStatus is "clean" (poll every 15 seconds).
2. GET ${apiUrl}/files/download/{fileId} returns a signed URL, valid for one hour. Each call counts as a download. 409 means: not scanned yet, see retryAfterSeconds.
3. GET that URL for the bytes.

A protected share (unlockRequired) requires unlockCode, unlockToken or handoffToken as a query parameter of step 2. With unlockKind password, send the password to POST ${apiUrl}/downloads/unlock {"shortId", "password"} for the unlockToken. After too many wrong codes, a 429 has a \`challenge\`: find a nonce as for a registration (below), and send challengeId and nonce with the code.

All files of a share as one ZIP: GET ${apiUrl}/files/share/{shortId}/archive returns a signed URL, with the same credentials.

## Import from a URL

POST ${apiUrl}/files/remote-upload {"url"} imports a public file and returns when it is stored (at most 5 minutes). For larger files: POST ${apiUrl}/files/remote-multipart/init {"url"} returns jobId and jobSecret immediately; GET ${apiUrl}/files/remote-multipart/{jobId}?secret=… returns bytesDone, percent and, when status is "completed", sharePath; …/{jobId}/events streams the same; DELETE cancels.

## Change and delete

- Settings of your own share: PATCH ${apiUrl}/files/share-settings {"fileId" or "shortId", title, message, extendTtl, expiresAt, visibility, protect, maxDownloads, once, immutable, upstreamFileIds, …}. Of an anonymous upload: the same with "claimToken" in place of a key, for title, message, extendTtl, expiresAt, protect, password, handoffMessage, maxDownloads and once.
- Delete: DELETE ${apiUrl}/files/delete?fileId=…, with the owner's key, or &token= and the deletion token of an anonymous upload. This cannot be undone.

## Several files behind one link

Open a shipment with POST ${apiUrl}/shares, with or without a key, and send each file with shareShortId={shortId} and, without a key, shareToken={shareToken} from its response, and relativePath for its path in the ZIP. The link works immediately. The tokens are shown once: shareToken adds files for 24 hours, claimToken and deletionToken claim and delete the shipment by its shortId. With a key, openShare=true with the first file opens a shipment too. Many small files: POST ${apiUrl}/files/batch, a form with shareShortId (and shareToken) and then, for each file of up to 4 MB, a field relativePath and the field file; at most 500 files and 64 MB. It returns a result or an error for each file, and is safe to repeat.

## With a key

- ${apiUrl}/folders: POST {"name", "parentId"} creates a folder, POST ${apiUrl}/folders/paths {"paths"} the missing folders of paths, GET ${apiUrl}/folders/list lists them, PATCH and DELETE ${apiUrl}/folders/{id} rename, move and delete; upload with folderId.
- Let somebody upload one file without your key: POST ${apiUrl}/files/upload-delegations {"name", "sizeBytes"} returns uploadUrl, for \`curl -T report.pdf UPLOAD_URL\`; POST ${apiUrl}/files/upload-delegations/complete {"delegationToken"} returns the result.
- Webhooks (scope full): POST ${apiUrl}/webhooks {"url", "events"}, of file.ready, file.failed, file.expired, file.authorized, file.downloaded. Verify service-webhook-signature: v1, and the HMAC-SHA256 of {id}.{timestamp}.{rawBody} with the whole secret.

## Get a key without a person

1. POST ${apiUrl}/agent/register/challenge (no body) returns challenge_id, difficulty, expires_at. It is valid for five minutes and for your IP address.
2. Find a nonce so that SHA-256 of the text challenge_id + ":" + nonce begins with \`difficulty\` zero bits.
3. POST ${apiUrl}/agent/register with {"label", "challenge_id", "nonce"} returns the key; it is shown once. Send it as \`Authorization: Bearer bc_...\`.

    python3 - <<'PY'
    import hashlib, itertools, json, urllib.request
    def post(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request("${apiUrl}" + path, data, {"Content-Type": "application/json"}, method="POST")
        return json.load(urllib.request.urlopen(request))
    challenge = post("/agent/register/challenge")
    for nonce in map(str, itertools.count()):
        digest = hashlib.sha256(f"{challenge['challenge_id']}:{nonce}".encode()).digest()
        if int.from_bytes(digest, "big") >> (256 - challenge["difficulty"]) == 0:
            break
    print(post("/agent/register", {"label": "my agent", "challenge_id": challenge["challenge_id"], "nonce": nonce})["key"])
    PY

With a key: GET ${apiUrl}/me (your limits and usage), GET ${apiUrl}/files/list, POST ${apiUrl}/files/claim for files that were uploaded without a key.
Agents registered from one IP address share one quota. An agent without a file for 30 days is deleted.

## Limits

| tier | file | storage | kept | requests a minute |
| --- | --- | --- | --- | --- |
${tierLine(ctx, "anonymous")}
${tierLine(ctx, "free")}
${tierLine(ctx, "pro")}

Per hour and IP address: ${challenges.limit} challenges, ${registrations.limit} registrations, ${importsAnonymous.limit} imports without a key. Per hour and agent: ${importsAgent.limit} imports.
A 429 has the seconds to wait in Retry-After.

## Errors

Every error is JSON: success false, error (what is wrong, and what to do), errorCode (UPPER_SNAKE). Repeat only 429, 503, and 409 and 507 with Retry-After. A 408 means that the body arrived too slowly.

## Links

- [API description, OpenAPI 3.1](${siteUrl}/agent-openapi.json)
- [Capabilities](${apiUrl}/agent/capabilities)
- [Health](${siteUrl}/health)
`;
}

function tierLine(ctx: Pick<Ctx, "config">, tier: Tier): string {
  const { fileBytes, storageBytes, storageMaxBytes, retentionMs } = ctx.config.tiers[tier];
  const retention =
    tier === "pro"
      ? `while Pro is active, then 24 hours; with a ttl at most ${describeDuration(retentionMs)}`
      : `at most ${describeDuration(retentionMs)}`;
  const storage =
    storageMaxBytes > storageBytes
      ? `${formatSize(storageBytes)} concurrent storage included (hard maximum ${formatSize(storageMaxBytes)})`
      : formatSize(storageMaxBytes);
  return `| ${tier} | ${formatSize(fileBytes)} | ${storage} | ${retention} | ${ctx.config.rates[tier].limit} |`;
}

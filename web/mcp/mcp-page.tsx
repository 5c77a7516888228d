/** @jsxImportSource preact */
import { MCP_GUEST_PATH, MCP_PATH } from "../../src/contract/endpoints.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { Marked } from "../docs/prose.tsx";
import { KEYS_PATH, SECURITY_PATH } from "../settings/paths.ts";
import { Copyable } from "../site/copyable.tsx";
import { formatDuration } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { ConnectedProgram, Fold, Snippets } from "./client.tsx";
import type { McpPageProps } from "./view.ts";

/** Renders the page at the address of MCP: instructions that connect programs, with or without an account (pages, "The page of MCP"). */
export function renderMcpPage(page: PageContext, props: McpPageProps): string {
  const { mcp: texts } = page.texts;
  const { isGuest, address, clients, keySnippets, localSnippets, tools } = props;
  return renderDocument(page, {
    title: texts.title,
    description: texts.description,
    styles: ["mcp-style"],
    width: "medium",
    children: (
      <div class="mcp">
        <header class="hero">
          <h1>{texts.title}</h1>
          <p>{texts.lead}</p>
        </header>
        <Ways page={page} isGuest={isGuest} />
        <section class="card">
          <h2>{texts.address}</h2>
          <div class="big-address">
            <Copyable page={page} id="address" label={texts.address} text={address} />
          </div>
          {isGuest ? <GuestTerms page={page} {...props} /> : <p>{texts.addressText}</p>}
        </section>
        <section class="card clients">
          <h2>{texts.clients}</h2>
          {clients.map((client) => (
            <ConnectedProgram key={client.id} page={page} client={client} isGuest={isGuest} />
          ))}
          {isGuest ? null : (
            <Fold title={texts.withKey}>
              <p>
                <Marked text={texts.withKeyText} /> <a href={KEYS_PATH}>{texts.makeKey}</a>
              </p>
              <Snippets page={page} id="key" snippets={keySnippets} />
            </Fold>
          )}
          <Fold title={texts.local}>
            <p>
              <Marked text={texts.localText} />
            </p>
            <Snippets page={page} id="local" snippets={localSnippets} />
          </Fold>
        </section>
        <section class="card">
          <h2>{texts.ask}</h2>
          <ul class="asked">
            {(isGuest ? texts.guestExamples : texts.examples).map((example) => (
              <li key={example}>{example}</li>
            ))}
          </ul>
          <details>
            <summary>{texts.tools(tools.length)}</summary>
            <ul class="tools" lang="en">
              {tools.map(({ name, title }) => (
                <li key={name}>
                  {title} <code class="quiet">{name}</code>
                </li>
              ))}
            </ul>
          </details>
        </section>
        <p class="quiet">
          {page.person === undefined || isGuest ? null : (
            <>
              <a href={`${SECURITY_PATH}#applications`}>{page.texts.settings.applications}</a> ·{" "}
            </>
          )}
          <a href="/docs">{texts.reference}</a>
        </p>
      </div>
    ),
  });
}

/** Renders the links to the two ways to connect. Each way has a page. */
function Ways({ page: { texts }, isGuest }: { readonly page: PageContext; readonly isGuest: boolean }) {
  const { mcp } = texts;
  const ways = [
    { path: MCP_PATH, title: mcp.account, text: mcp.accountText, isCurrent: !isGuest },
    { path: MCP_GUEST_PATH, title: mcp.guest, text: mcp.guestText, isCurrent: isGuest },
  ];
  return (
    <nav class="ways" aria-label={mcp.ways}>
      {ways.map(({ path, title, text, isCurrent }) => (
        <a key={path} href={path} aria-current={isCurrent ? "page" : undefined}>
          <strong>{title}</strong>
          <span class="quiet">{text}</span>
        </a>
      ))}
    </nav>
  );
}

function GuestTerms({ page, guestUploads }: { readonly page: PageContext } & Pick<McpPageProps, "guestUploads">) {
  const { language } = page;
  const { mcp: texts } = page.texts;
  const retentionMs = guestUploads?.retentionMs ?? null;
  return (
    <p>
      {texts.guestAddressText}{" "}
      {guestUploads === undefined
        ? texts.guestClosed
        : texts.guestUploads(
            formatSize(guestUploads.fileBytes, language),
            retentionMs === null ? undefined : formatDuration(retentionMs, language),
          )}{" "}
      {texts.guestMore}
    </p>
  );
}

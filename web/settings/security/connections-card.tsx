/** @jsxImportSource preact */
import type { Output } from "../../../src/service/contract.ts";
import { formatDate } from "../../site/format.ts";
import { Problem } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { CONNECT_PATH, DISCONNECT_PATH } from "../paths.ts";

export type ConnectionView = Output<"listConnections">[number];

export interface ConnectionsCardProps {
  readonly page: PageContext;
  readonly connections: readonly ConnectionView[];
  /** The reason why the last form changed nothing. */
  readonly problem: string | undefined;
}

/** Renders the identities at OpenID Connect providers with which the account signs in; nothing if there is neither an identity nor a provider. */
export function ConnectionsCard({ page, connections, problem }: ConnectionsCardProps) {
  const { provider } = page.site;
  if (provider === undefined && connections.length === 0) return null;
  const texts = page.texts.provider;
  return (
    <Panel title={texts.connections} text={texts.connectionsText}>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <ul class="rows">
        {connections.map((connection) => (
          <ConnectionRow key={connection.id} page={page} connection={connection} />
        ))}
        {provider === undefined || connections.some(({ isUsable }) => isUsable) ? null : (
          <li class="row">
            <p class="name">
              {provider}
              <span class="quiet block">{texts.notConnected}</span>
            </p>
            <form method="post" action={CONNECT_PATH}>
              <button class="button small" type="submit">
                {texts.connect(provider)}
              </button>
            </form>
          </li>
        )}
      </ul>
    </Panel>
  );
}

function ConnectionRow({ page, connection }: { readonly page: PageContext; readonly connection: ConnectionView }) {
  const texts = page.texts.provider;
  const { id, provider, createdAt, isUsable } = connection;
  return (
    <li class="row">
      <p class="name">
        {provider}
        <span class="quiet block">{isUsable ? texts.connectedSince(formatDate(Date.parse(createdAt), page)) : texts.unusable}</span>
      </p>
      <form method="post" action={DISCONNECT_PATH}>
        <input type="hidden" name="id" value={id} />
        <button class="button small" type="submit" aria-label={`${texts.disconnect}: ${provider}`}>
          {texts.disconnect}
        </button>
      </form>
    </li>
  );
}

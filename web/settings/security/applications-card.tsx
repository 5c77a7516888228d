/** @jsxImportSource preact */
import { MCP_PATH } from "../../../src/contract/endpoints.ts";
import type { Output } from "../../../src/service/contract.ts";
import { formatDate } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { APPLICATIONS_PATH } from "../paths.ts";

export type ApplicationView = Output<"listApplications">[number];

interface ApplicationsCardProps {
  readonly page: PageContext;
  readonly applications: readonly ApplicationView[];
}

/** Renders the applications that may act for the account. */
export function ApplicationsCard({ page, applications }: ApplicationsCardProps) {
  const { settings, oauth, mcp } = page.texts;
  const isEmpty = applications.length === 0;
  return (
    <Panel id="applications" title={settings.applications} text={isEmpty ? settings.noApplications : oauth.connectedText}>
      {isEmpty ? null : (
        <ul class="rows">
          {applications.map((application) => (
            <ApplicationRow key={application.id} page={page} application={application} />
          ))}
        </ul>
      )}
      <p>
        <a href={MCP_PATH}>{mcp.title}</a>
      </p>
    </Panel>
  );
}

function ApplicationRow({ page, application }: { readonly page: PageContext; readonly application: ApplicationView }) {
  const { oauth: texts, account } = page.texts;
  const { id, host, scopes, connectedAt, lastUsedAt } = application;
  const name = application.name === "" ? texts.unnamed : application.name;
  const dateOf = (time: string): string => formatDate(Date.parse(time), page);
  return (
    <li class="row">
      <div class="name">
        <bdi>{name}</bdi>
        <span class="quiet block">{host ?? texts.onDevice}</span>
        <span class="quiet block">{scopes.map((scope) => texts.short[scope]).join(" · ")}</span>
        <span class="quiet block">
          {texts.connectedSince(dateOf(connectedAt))}
          {lastUsedAt === null ? null : ` · ${account.lastUsed}: ${dateOf(lastUsedAt)}`}
        </span>
      </div>
      <form method="post" action={APPLICATIONS_PATH}>
        <input type="hidden" name="id" value={id} />
        <button class="button small" type="submit" aria-label={`${texts.disconnect}: ${name}`}>
          {texts.disconnect}
        </button>
      </form>
    </li>
  );
}

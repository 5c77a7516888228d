/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import type { AdminFileView } from "../../../src/service/administration/files-contract.ts";
import type { Output } from "../../../src/service/contract.ts";
import { NameTile } from "../../files/entry-row.tsx";
import { toShownName } from "../../files/shown-name.ts";
import { FileName } from "../../site/file-name.tsx";
import { formatDate, visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Ago, Ask, Panel } from "../../site/panel.tsx";
import { FileStateTag, Owner, toFileState } from "../admin-file.tsx";
import { renderAdmin } from "../admin-layout.tsx";
import { BlockField, DecisionQuestion, PublicReasonField } from "../decision-form.tsx";
import { AUDIT_LOG_PATH, REPORTS_PATH, reportPath } from "../paths.ts";
import { OutcomeTag } from "./reports-page.tsx";

export type ReportDetailsView = Output<"getReport">;

export interface AdminReportPageProps {
  readonly report: ReportDetailsView;
  readonly nowMs: number;
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

interface PartProps {
  readonly page: PageContext;
  readonly report: ReportDetailsView;
  readonly nowMs: number;
}

/** Renders one report: its text, its share, and the possible decisions. */
export function renderAdminReportPage(page: PageContext, { report, nowMs, done, problem }: AdminReportPageProps): string {
  const part = { page, report, nowMs };
  return renderAdmin(page, {
    section: "reports",
    title: toShownName(report, page.texts.files),
    back: { path: REPORTS_PATH, text: page.texts.moderation.reports },
    done,
    problem,
    children: (
      <>
        <Said {...part} />
        <Actions {...part} />
        <Share {...part} />
        {report.others.length === 0 ? null : <Others {...part} />}
      </>
    ),
  });
}

function Said({ page, report, nowMs }: PartProps) {
  const { texts } = page;
  const { moderation } = texts;
  return (
    <section class="card panel">
      <dl class="admin-facts">
        <div>
          <dt>{moderation.reason}</dt>
          <dd>{texts.report.reasons[report.reason]}</dd>
        </div>
        <div>
          <dt>{moderation.when}</dt>
          <dd>
            <Ago page={page} time={report.createdAt} nowMs={nowMs} />
          </dd>
        </div>
        <div>
          <dt>{moderation.from}</dt>
          <dd>{report.email === null ? <span class="quiet">{moderation.noAddress}</span> : <bdi>{report.email}</bdi>}</dd>
        </div>
        {report.resolvedAt === null ? null : (
          <div>
            <dt>{moderation.outcome}</dt>
            <dd>
              <OutcomeTag page={page} report={report} />
              <span class="quiet block">
                {formatDate(Date.parse(report.resolvedAt), page)}
                {report.resolvedBy === null ? null : <bdi> {moderation.by(authorOf(page, report.resolvedBy))}</bdi>}
              </span>
            </dd>
          </div>
        )}
      </dl>
      {report.details === null ? null : (
        <figure class="report-quote">
          <figcaption>{moderation.written}</figcaption>
          <blockquote dir="auto">{visibleLines(report.details)}</blockquote>
        </figure>
      )}
      {report.resolution === null ? null : (
        <figure class="report-quote">
          <figcaption>{moderation.note}</figcaption>
          <blockquote dir="auto">{visibleLines(report.resolution)}</blockquote>
        </figure>
      )}
    </section>
  );
}

const authorOf = ({ texts }: PageContext, author: string): string => (author === "command_line" ? texts.moderation.commandLine : author);

const visibleLines = (text: string): string => text.split("\n").map(visibleText).join("\n");

function Share({ page, report }: PartProps) {
  const { texts } = page;
  const { moderation } = texts;
  const { files, fileCount, sha256 } = report;
  const isOpen = files.some(({ file }) => file.isOpen);
  const isTakenDown = report.shareStatus === "dmca_removed";
  return (
    <Panel title={moderation.share} text={report.isProtected ? moderation.protectedShare : undefined}>
      {report.shareStatus === null || report.shareStatus === "deleted" ? (
        <>
          <p>{moderation.shareGone}</p>
          {report.otherPlaceCount > 0 ? <p>{describeElsewhere(page, report)}</p> : null}
          {sha256 === null ? null : <p class="quiet digest">{`${texts.share.checksum}: ${sha256}`}</p>}
        </>
      ) : (
        <ul class="items">
          {files.map(({ file, thumbnail }) => (
            <li key={file.id} class="item report-file">
              {thumbnail === null ? (
                <NameTile file={file} />
              ) : (
                <img src={thumbnail.url} width={thumbnail.width} height={thumbnail.height} alt="" loading="lazy" />
              )}
              <FileFacts page={page} file={file} />
              {files.length > 1 && report.resolvedAt === null && file.status !== "dmca_removed" ? (
                <DecisionQuestion
                  texts={texts}
                  label={moderation.takeDown}
                  about={toShownName(file, texts.files)}
                  text={moderation.takeDownFileText}
                  path={reportPath(report.id)}
                  fields={{ action: "takedown", file: file.id }}
                  tone="danger"
                >
                  <PublicReasonField texts={texts} chosen={report.reason} />
                  <BlockField texts={texts} />
                </DecisionQuestion>
              ) : null}
              {file.status === "dmca_removed" && !isTakenDown && file.hasBytes ? (
                <Ask
                  label={moderation.restore}
                  about={toShownName(file, texts.files)}
                  path={reportPath(report.id)}
                  fields={{ action: "restore", file: file.id }}
                  text={moderation.restoreText}
                  confirm={moderation.restore}
                />
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {files.length < fileCount && files.length > 0 ? <p class="quiet">{moderation.moreFiles(files.length)}</p> : null}
      <dl class="admin-facts">
        <div>
          <dt>{moderation.owner}</dt>
          <dd>
            <Owner page={page} owner={report.owner} />
          </dd>
        </div>
      </dl>
      <p class="admin-links">
        {isOpen ? <a href={`/d/${encodeURIComponent(report.shortId)}`}>{moderation.openShare}</a> : null}
        <a href={`${AUDIT_LOG_PATH}?subject=${encodeURIComponent(report.shortId)}`}>{moderation.log}</a>
      </p>
    </Panel>
  );
}

/** Names the other shares that have files of the reported one. */
function describeElsewhere({ texts }: PageContext, { otherPlaces, otherPlaceCount }: PartProps["report"]): string {
  const codes = [...new Set(otherPlaces.map(({ shortId }) => shortId))].join(", ");
  return texts.moderation.elsewhere(otherPlaceCount, otherPlaceCount > otherPlaces.length ? `${codes}, …` : codes);
}

function FileFacts({ page: { texts, language }, file }: { readonly page: PageContext; readonly file: AdminFileView }) {
  const { moderation } = texts;
  return (
    <div class="item-head">
      <p class="item-name">
        <FileName name={toShownName(file, texts.files)} />
      </p>
      <p class="quiet">
        {formatSize(file.sizeBytes, language)} · {`${moderation.downloads}: ${file.downloads}`}
      </p>
      {toFileState(texts, file) === undefined ? null : (
        <p>
          <FileStateTag texts={texts} file={file} />
        </p>
      )}
      {file.sha256 === null ? null : <p class="quiet digest">{`${texts.share.checksum}: ${file.sha256}`}</p>}
    </div>
  );
}

function Actions({ page, report }: PartProps) {
  const { texts } = page;
  const { moderation } = texts;
  const path = reportPath(report.id);
  const isElsewhere = report.otherPlaceCount > 0;
  const canTakeDown =
    report.shareStatus === "active" || report.shareStatus === "expired" || (report.shareStatus === "deleted" && isElsewhere);
  const takeDownText = isElsewhere ? `${moderation.takeDownShareText} ${describeElsewhere(page, report)}` : moderation.takeDownShareText;
  const canRestore = report.shareStatus === "dmca_removed" && report.files.some(({ file }) => file.hasBytes);
  if (report.resolvedAt !== null && !canRestore) return null;
  return (
    <Panel title={moderation.decide}>
      <div class="asks">
        {report.resolvedAt === null && canTakeDown ? (
          <DecisionQuestion
            texts={texts}
            label={moderation.takeDownShare}
            text={takeDownText}
            path={path}
            fields={{ action: "takedown" }}
            tone="danger"
          >
            <PublicReasonField texts={texts} chosen={report.reason} />
            <BlockField texts={texts} />
          </DecisionQuestion>
        ) : null}
        {report.resolvedAt === null ? (
          <DecisionQuestion
            texts={texts}
            label={moderation.dismiss}
            text={moderation.dismissText}
            path={path}
            fields={{ action: "dismiss" }}
          >
            {report.openReports > 1 ? <p>{moderation.dismissAll(report.openReports)}</p> : null}
          </DecisionQuestion>
        ) : null}
        {canRestore ? (
          <Ask
            label={moderation.restoreShare}
            path={path}
            fields={{ action: "restore" }}
            text={moderation.restoreText}
            confirm={moderation.restoreShare}
          />
        ) : null}
      </div>
    </Panel>
  );
}

function Others({ page, report: { others }, nowMs }: PartProps) {
  const { moderation, report } = page.texts;
  return (
    <Panel title={moderation.history}>
      <ul class="items">
        {others.map((other) => (
          <li key={other.id} class="item">
            <div class="item-head">
              <p class="item-name">
                <a href={reportPath(other.id)}>{report.reasons[other.reason]}</a>{" "}
                {other.resolvedAt === null ? null : <OutcomeTag page={page} report={other} />}
              </p>
              <p class="quiet">
                <Ago page={page} time={other.createdAt} nowMs={nowMs} />
                {other.email === null ? null : (
                  <>
                    {" · "}
                    <bdi>{other.email}</bdi>
                  </>
                )}
              </p>
              {other.details === null ? null : (
                <p class="report-excerpt">
                  <bdi>{visibleText(other.details.replaceAll("\n", " "))}</bdi>
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

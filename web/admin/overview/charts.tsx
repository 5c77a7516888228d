/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import { formatDay, formatLongDay } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import type { OverviewView } from "./overview-view.ts";

type Day = OverviewView["days"][number];

type Figure = Exclude<keyof Day, "day">;

const FIGURES = ["usedBytes", "uploads", "downloads", "failures"] as const satisfies readonly Figure[];

/** The size of the drawing. Each day has a column with a gap beside it. */
const HEIGHT = 64;
const COLUMN = 10;
const GAP = 3;
/** The height of a value that is not zero, so that it can be seen beside much higher ones. */
const MIN_HEIGHT = 2;

/** The number of days with figures from which on charts say something. */
const MIN_DAYS = 3;

/** Renders the figures of the last days, each as a chart, and all of them as a table. Renders nothing while few days have figures. */
export function Charts({ page, days }: { readonly page: PageContext; readonly days: OverviewView["days"] }) {
  const { admin } = page.texts;
  const recorded = days.filter(({ usedBytes, uploads, downloads }) => usedBytes !== null || uploads > 0 || downloads > 0);
  const [first] = recorded;
  if (first === undefined || recorded.length < MIN_DAYS) return null;
  const since = first === days[0] ? undefined : admin.sinceDay(formatLongDay(Date.parse(first.day), { ...page, timeZone: "UTC" }));
  return (
    <Panel id="days" title={admin.lastDays(days.length)} text={since}>
      <div class="charts">
        {FIGURES.map((figure) => (
          <Chart key={figure} page={page} days={days} figure={figure} />
        ))}
      </div>
      <details class="chart-numbers">
        <summary>{admin.asTable}</summary>
        <Numbers page={page} days={days} />
      </details>
    </Panel>
  );
}

interface ChartProps {
  readonly page: PageContext;
  readonly days: readonly Day[];
  readonly figure: Figure;
}

function Chart({ page, days, figure }: ChartProps) {
  const { texts, language } = page;
  const { title } = texts.admin.figures[figure];
  const values = days.map((day) => day[figure] ?? 0);
  const highest = Math.max(...values);
  const headline = describeHeadline(page, figure, values);
  const busiest = days[values.indexOf(highest)];
  const peak =
    highest === 0 || busiest === undefined ? "" : texts.admin.highest(formatValue(page, figure, highest), formatDay(busiest.day, language));
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <strong>{headline}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${days.length * COLUMN - GAP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={[title, headline, peak].filter((part) => part !== "").join(". ")}
      >
        {days.map((day, index) => {
          const value = values[index] ?? 0;
          const height = value === 0 ? 0.75 : Math.max(MIN_HEIGHT, (value / highest) * HEIGHT);
          return (
            <rect
              key={day.day}
              class={value === 0 ? "chart-bar none" : "chart-bar"}
              x={index * COLUMN}
              y={Math.round((HEIGHT - height) * 100) / 100}
              width={COLUMN - GAP}
              height={Math.round(height * 100) / 100}
            >
              <title>{`${formatDay(day.day, language)}: ${formatFigure(page, figure, day)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="chart-days">
        <span>{formatDay(days[0]?.day ?? "", language)}</span>
        <span>{peak}</span>
        <span>{texts.admin.today}</span>
      </p>
    </figure>
  );
}

/** Returns the number beside the title: of storage and failures the present one, of the others the sum. */
function describeHeadline(page: PageContext, figure: Figure, values: readonly number[]): string {
  const { figures } = page.texts.admin;
  const isPresent = figure === "usedBytes" || figure === "failures";
  const value = isPresent ? (values.at(-1) ?? 0) : values.reduce((sum, value) => sum + value, 0);
  return figures[figure].headline(formatValue(page, figure, value));
}

function Numbers({ page, days }: { readonly page: PageContext; readonly days: readonly Day[] }) {
  const { admin } = page.texts;
  return (
    <div class="admin-scroll">
      <table class="admin-table">
        <thead>
          <tr>
            <th scope="col">{admin.day}</th>
            {FIGURES.map((figure) => (
              <th key={figure} scope="col" class="number">
                {admin.figures[figure].title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.day}>
              <th scope="row">{formatDay(day.day, page.language)}</th>
              {FIGURES.map((figure) => (
                <td key={figure} class="number">
                  {formatFigure(page, figure, day)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function formatFigure(page: PageContext, figure: Figure, day: Day): string {
  const value = day[figure];
  return value === null ? page.texts.admin.notRecorded : formatValue(page, figure, value);
}

const formatValue = ({ language }: PageContext, figure: Figure, value: number): string =>
  figure === "usedBytes" ? formatSize(value, language) : value.toLocaleString(language);

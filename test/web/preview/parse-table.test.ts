import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isTable, parseTable } from "../../../web/preview/parse-table.ts";
import { renderTable } from "../../../web/preview/render-table.ts";
import { WorkBudget } from "../../../web/preview/work-budget.ts";

const rowsOf = (text: string, name = "a.csv") => parseTable(text, { name, contentType: "text/csv" }).rows;

/** previews, "Documents": the table of a CSV file. */
describe("the table of a CSV file", () => {
  test("has the cells between the delimiter that the file uses", () => {
    for (const delimiter of [",", ";", "\t", "|"])
      assert.deepEqual(rowsOf(["a", "b c", "1.5\n2", "", "x\n"].join(delimiter)), [
        ["a", "b c", "1.5"],
        ["2", "", "x"],
      ]);
    assert.deepEqual(rowsOf("name;price\nbread;1,50\nmilk;0,99"), [
      ["name", "price"],
      ["bread", "1,50"],
      ["milk", "0,99"],
    ]);
    assert.deepEqual(rowsOf("one, two\tthree", "a.tsv"), [["one, two", "three"]]);
    assert.deepEqual(rowsOf("only\ncolumn\n\n"), [["only"], ["column"]]);
  });

  test("keeps delimiters, line ends and doubled quotes in quoted cells, and a quote that nothing closes", () => {
    assert.deepEqual(rowsOf('"a;b","say ""hi""",x\n"two\nlines",,"end"'), [
      ["a;b", 'say "hi"', "x"],
      ["two\nlines", "", "end"],
    ]);
    assert.deepEqual(rowsOf('a,"open\nb,c'), [["a", '"open\nb,c']]);
    assert.deepEqual(rowsOf('a,"b" c,5" pipe'), [["a", "b c", '5" pipe']]);
  });

  test("has at most 1,000 rows and 100 columns, and says that it is cut", () => {
    const long = parseTable("a,b\n".repeat(1_001), { name: "a.csv", contentType: "text/csv" });
    assert.deepEqual([long.rows.length, long.isCut], [1_000, true]);
    const exact = parseTable("a,b\n".repeat(1_000), { name: "a.csv", contentType: "text/csv" });
    assert.deepEqual([exact.rows.length, exact.isCut], [1_000, false]);
    const wide = parseTable(`${"a,".repeat(100)}b\n`, { name: "a.csv", contentType: "text/csv" });
    assert.deepEqual([wide.rows[0]?.length, wide.isCut], [100, true]);
  });

  test("is escaped, and its numbers are aligned", async () => {
    const html = await renderTable(rowsOf("<b>,n\n</table><script>,-1.5\nx"), new WorkBudget(1_000));
    assert.equal(
      html,
      '<table><thead><tr><th scope="col">&lt;b&gt;</th><th scope="col" class="right">n</th></tr></thead><tbody>' +
        '<tr><td>&lt;/table&gt;&lt;script&gt;</td><td class="right">-1.5</td></tr><tr><td>x</td><td></td></tr></tbody></table>',
    );
  });

  test("is recognized by media type or extension", () => {
    assert.deepEqual(
      [
        isTable("a.CSV", "text/plain"),
        isTable("a", "text/csv; charset=utf-8"),
        isTable("a.tsv", "text/plain"),
        isTable("a.txt", "text/plain"),
        isTable("csv", "text/plain"),
      ],
      [true, true, true, false, false],
    );
  });
});

import { FoundText } from "../find/found-text.tsx";
import { kindOf, scalarText } from "../json/value.ts";

/** A short list of uniform objects of short values as a table. */

export interface TableViewProps {
  names: readonly string[];
  rows: readonly Record<string, unknown>[];
  label: string;
}

export function TableView({ names, rows, label }: TableViewProps) {
  return (
    <div class="md-table" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" class={rows.every((row) => isNumber(row[name])) ? "number" : undefined}>
                <FoundText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {names.map((name) => (
                <td key={name} class={isNumber(row[name]) ? "number" : undefined}>
                  <FoundText text={cellText(row[name])} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isNumber(value: unknown): boolean {
  return kindOf(value) === "number";
}

function cellText(value: unknown): string {
  return typeof value === "string" ? value : scalarText(value);
}

import { formatDollars, formatNumber } from "../l10n.ts";

/** Formats an amount: small ones with the digits that tell them apart. */
export function dollars(usd: number): string {
  if (usd === 0 || usd >= 0.995) return formatDollars(usd);
  return formatDollars(usd, { maximumFractionDigits: usd < 0.01 ? 4 : 3 });
}

/** Formats a large number, such as `1.2M`. */
export function tokens(count: number): string {
  return formatNumber(count, { notation: "compact", maximumFractionDigits: 1 });
}

/** Formats a share from 0 to 1. */
export function percent(share: number): string {
  return formatNumber(share, { style: "percent", maximumFractionDigits: 0 });
}

/** Formats a day such as `2026-05-01` for an axis. */
export function dayLabel(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Intl.DateTimeFormat(document.documentElement.lang, { month: "short", day: "numeric" }).format(
    new Date(year, month - 1, date),
  );
}

import { afterEach, describe, expect, it } from "vitest";
import { formatDollars, formatNumber, t, useCatalogue } from "../../webview/l10n.ts";

afterEach(() => useCatalogue({}, "en"));

describe("t()", () => {
  it("returns the English text when there is no translation", () => {
    expect(t("Stop Run")).toBe("Stop Run");
    useCatalogue({ Stop: "Anhalten" }, "de");
    expect(t("Send")).toBe("Send");
    expect(t("toString")).toBe("toString");
  });

  it("returns the translation with the values in its order", () => {
    useCatalogue({ "{0} of {1}": "Von {1} {0}" }, "de");
    expect(t("{0} of {1}", 2, 3)).toBe("Von 3 2");
  });

  it("ignores placeholders inside values", () => {
    expect(t("{0} and {1}", "{1}", "$&")).toBe("{1} and $&");
  });

  it("formats numbers and amounts for the language", () => {
    expect(formatNumber(12_345.5)).toBe("12,345.5");
    expect(formatDollars(0.5)).toBe("$0.50");
    useCatalogue({}, "de");
    expect(formatNumber(12_345.5)).toBe("12.345,5");
    expect(formatDollars(0.5)).toBe("0,50\u00a0$");
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { formatDollars, formatNumber, t, useCatalogue } from "../../webview/l10n.ts";

afterEach(() => useCatalogue({}, "en"));

describe("looking up a text", () => {
  it("gives the English text where there is no other", () => {
    expect(t("Stop")).toBe("Stop");
    useCatalogue({ Stop: "Anhalten" }, "de");
    expect(t("Send")).toBe("Send");
    expect(t("toString")).toBe("toString");
  });

  it("gives the text of the user's language with the values in its order", () => {
    useCatalogue({ "{0} of {1}": "Von {1} {0}" }, "de");
    expect(t("{0} of {1}", 2, 3)).toBe("Von 3 2");
  });

  it("leaves places in values alone", () => {
    expect(t("{0} and {1}", "{1}", "$&")).toBe("{1} and $&");
  });

  it("writes numbers and amounts as the language does", () => {
    expect(formatNumber(12_345.5)).toBe("12,345.5");
    expect(formatDollars(0.5)).toBe("$0.50");
    useCatalogue({}, "de");
    expect(formatNumber(12_345.5)).toBe("12.345,5");
    expect(formatDollars(0.5)).toBe("0,50\u00a0$");
  });
});

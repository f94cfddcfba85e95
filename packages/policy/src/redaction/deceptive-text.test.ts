import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleText } from "../display/visible-text.js";
import { deceptiveCharacter } from "../shared/deceptive-character.js";
import { deceptiveText } from "./deceptive-text.js";

const flagsOf = (value: unknown) => deceptiveText({ input: value }).flags;

describe("a deceptive text", () => {
  it.each([
    ["report\u202efdp.exe", "direction", ["U+202E"]],
    ["zero\u200bwidth", "invisible", ["U+200B"]],
    ["lonely\u200djoiner", "invisible", ["U+200D"]],
    ["1\ufe0f", "invisible", ["U+FE0F"]],
    ["red\u001b[31m", "control", ["U+001B"]],
    ["one\rtwo", "control", ["U+000D"]],
    ["p\u0430ypal", "mixed_script", ["U+0430"]],
    ["\u0420\u0430ss\u0440ort", "mixed_script", ["U+0420", "U+0430", "U+0440"]],
    ["g\u03bfogle", "mixed_script", ["U+03BF"]],
    ["\u13aapple", "mixed_script", ["U+13AA"]],
    ["a@example.com         b", "blanks", ["U+0020"]],
    ["a\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003\u2003b", "blanks", ["U+2003"]],
    ["a \t\u00a0 \t\u00a0 \t\u00a0b", "blanks", ["U+0020", "U+0009", "U+00A0"]],
    ["a    \u200b     b", "blanks", ["U+0020", "U+200B"]],
    [`a\n${" ".repeat(400)}b`, "blanks", ["U+0020"]],
    ["a\n\n\n\nb", "line_breaks", []],
    ["a\r\n \r\n \r\n \r\nb", "line_breaks", []],
    ["a\u2028\u0085\v\u2029b", "line_breaks", ["U+2028", "U+0085", "U+000B", "U+2029"]],
    ["\u0430\u0440\u0440\u04cf\u0435.com", "look_alike", ["U+0430", "U+0440", "U+04CF", "U+0435"]],
    ["https://\u0441\u0430\u0445\u0430.com/login", "look_alike", ["U+0441", "U+0430", "U+0445"]],
    ["Pay to \u0391\u039507 0331 2345 6789 0123 456", "look_alike", ["U+0391", "U+0395"]],
    ["\u03955,000", "look_alike", ["U+0395"]],
    ["\u0261oogle.com", "look_alike", ["U+0261"]],
    ["\u0261oogle", "look_alike", ["U+0261"]],
    ["paypa\u0131.com", "look_alike", ["U+0131"]],
    ["\uff45xample.com", "compatibility", ["U+FF45"]],
    ["exam\u2024ple.com", "compatibility", ["U+2024"]],
    ["\u{1d41a}dmin", "compatibility", ["U+1D41A"]],
    ["\u212a", "compatibility", ["U+212A"]],
    ["pay \ufb01nance", "compatibility", ["U+FB01"]],
    ["a\u2044b", "compatibility", ["U+2044"]],
    ["\uff11\uff10\uff10", "compatibility", ["U+FF11", "U+FF10"]],
    ["DE\u0661\u0662", "foreign_digits", ["U+0661", "U+0662"]],
    ["1\u066b5", "foreign_digits", ["U+066B"]],
    ["\u0967\u0968\u0969", "foreign_digits", ["U+0967", "U+0968", "U+0969"]],
    ["e\u0301\u0302\u0303", "stacked_marks", ["U+0303"]],
    [`e${"\u0301".repeat(9)}`, "stacked_marks", ["U+0301"]],
    ["\u1ebf\u0300\u0301", "stacked_marks", ["U+0301"]],
    [`\u0e01${"\u0e49".repeat(9)}`, "stacked_marks", ["U+0E49"]],
  ])("is flagged: %j", (text, kind, characters) => {
    expect(flagsOf({ at: [text] })).toMatchObject([{ path: "input.at.0", kind, characters }]);
    expect(flagsOf({ [text]: 1 })).toMatchObject([{ kind, characters, inName: true }]);
    expect(deceptiveText({ toolName: text }).flags).toMatchObject([{ path: "toolName", kind, characters }]);
  });

  it.each([
    [`customer@example.com${" ".repeat(400)}, attacker@evil.example`, { start: 20, end: 420, count: 400 }],
    [`a\n${"\n".repeat(59)}b`, { start: 1, end: 61, count: 60 }],
    [
      "log in at \u0430\u0440\u0440\u04cf\u0435.com, please",
      { start: 10, end: 19, text: "\u0430\u0440\u0440\u04cf\u0435.com", looksLike: "apple.com" },
    ],
    ["\u03955,000", { start: 0, end: 6, looksLike: "E5,000" }],
    ["p\u0430ypal", { start: 0, end: 6, looksLike: "paypal" }],
    ["amount 1\u066b5", { start: 7, end: 10, looksLike: "1.5" }],
    ["\uff45xample.com", { looksLike: "example.com" }],
    ["exam\u2024ple.com", { looksLike: "exam.ple.com" }],
    ["x\u2800\u2800\u2800\u2800\u2800y", { start: 1, end: 6, count: 5 }],
  ])("is flagged at its place: %j", (text, place) => {
    expect(flagsOf(text)).toMatchObject([place]);
  });
});

describe("an unusual number", () => {
  it.each([
    [{ amount: 499.999999999 }, "input.amount", "decimals", "499.999999999"],
    [{ refund: { total: [1e21] } }, "input.refund.total.0", "large_number", "1e+21"],
    [{ count: 2 ** 60 }, "input.count", "large_number", "1152921504606847000"],
  ])("is flagged: %j", (input, path, kind, text) => {
    expect(flagsOf(input)).toEqual([{ path, kind, characters: [], text }]);
  });
});

it("a value is flagged if the summary shows only its first line", () => {
  const input = { order: { id: "A-1002\n\nApproved by finance lead" }, note: "x".repeat(100) };
  const parts = [
    { text: "Refund " },
    { value: "A-1002…", path: "order.id", cut: true as const },
    { value: "xx…", path: "note", cut: true as const },
  ];
  expect(deceptiveText({ input }, parts).flags).toEqual([
    { path: "input.order.id", kind: "cut_short", start: 6, end: 32, characters: [] },
  ]);
  expect(deceptiveText({ input: "[hidden]" }, parts).flags).toEqual([]);
});

describe("ordinary text", () => {
  it.each([
    ["English", "Plain text,\n\n\tin lines. Half ½, 25 °C, 10 µm, 5 m², H₂O, №5, “quotes” – and… ™ © ®"],
    [
      "German",
      "Größe der Straße: fünf Äpfel kosten 3,50 €, z.B. bei müller.de oder grüße@müller.de.\r\nIm Jahr 2020–2021.",
    ],
    ["French", "Où êtes-vous, Zoë ? L’œuvre coûte 1 250,50 € ; la 1ʳᵉ et le 2ᵉ à Noël."],
    ["Spanish", "¿Dónde está el niño? La 1.ª edición cuesta 12 €."],
    ["Polish", "Zażółć gęślą jaźń, łódź i żółw."],
    ["Turkish", "Işıklı kırmızı ırmak; 6'ncı ve 40'ıncı gün İstanbul'da."],
    ["Icelandic", "Þórður át ávöxt í Ísafirði."],
    ["Ewe", "Eʋegbe nye gbe si ŋu wozãna le Ghana, ɣeyiɣi."],
    ["Vietnamese, composed", "Tiếng Việt: Nguyễn Thị Ánh Tuyết đặt hàng số 1234, cảm ơn."],
    ["Vietnamese, decomposed", "Tiếng Việt: Nguyễn Thị Ánh Tuyết đặt hàng, ngã, ưở, ậ".normalize("NFD")],
    ["Greek", "Η παραγγελία Α4 κοστίζει 50 €. Ευχαριστώ, π.χ. για τον καφέ."],
    ["Old Greek, decomposed", "ἄνδρα μοι ἔννεπε, Μοῦσα, ᾄδω".normalize("NFD")],
    [
      "Russian",
      "Привет, как дела? Формат А4, трасса М5, СССР. Адрес: почта.рф, сахар.рф; т.е. см. рис. 2, world",
    ],
    ["Ukrainian", "Їжак з’їв 5 ґудзиків, ціна 100 грн."],
    ["Serbian", "Ђорђе, Љиљана и џеп коштају 10 динара"],
    ["Armenian", "Բարեւ Ձեզ, գինը 500 դրամ է"],
    ["Georgian", "გამარჯობა, ფასი 20 ლარია"],
    ["Arabic", "مرحبا، السعر ١٢٫٥ دينار في عام ٢٠٢٤، اللّٰه وَالسَّلَامُ عَلَيْكُمْ"],
    ["Persian", "می‌خواهم ۱۲۳ تومان بپردازم، ۱۴۰۲/۰۵/۱۲"],
    ["Hebrew", "שָׁלוֹם עֲלֵיכֶם, המחיר 50 ש״ח, שַּׁבָּת"],
    ["Hindi", "नमस्ते ज़िंदगी, कीमत १२३ रुपये और 45 पैसे, क्षत्रिय"],
    ["Hindi with joiners", "क्‍ष और श्‌र"],
    ["Bengali", "আপনার মূল্য ৫০০ টাকা"],
    ["Tamil", "விலை ௧௨ ரூபாய், நன்றி"],
    ["Thai", "สวัสดีครับ ราคา ๒๕๐ บาท น้ำผึ้ง ที่นี่ กำลัง"],
    ["Lao", "ສະບາຍດີ ລາຄາ ໕໐ ກີບ ນ້ຳ"],
    ["Khmer", "សួស្តី​អ្នក តម្លៃ ៥០ រៀល"],
    ["Burmese", "မင်္ဂလာပါ ကျွန်ုပ် ဈေး ၅၀၀ ကျပ်"],
    ["Tibetan", "བཀྲ་ཤིས་བདེ་ལེགས། རིན་ ༥༠"],
    [
      "Japanese",
      "東京タワーのTシャツは１０００円（税込）です。ＡＢＣ！ カタカナ、㈱鈴木、①番、が".normalize("NFC"),
    ],
    ["Japanese, decomposed", "がぎぐげご パピプペポ".normalize("NFD")],
    ["Chinese", "您好，价格是２０２４年的５００元。请联系：张三 ａｂｃ、ｏｋ。"],
    ["Korean", "한국어 Latin 漢字 가격은 5000원입니다 ㅋㅋㅋ"],
    ["Amharic", "ሰላም ለዓለም ዋጋ ፭፻"],
    ["emoji", "👩‍👩‍👧 ❤️ 👍🏽 1️⃣ 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ℹ️ ™️ ©️ 👨🏿‍💻 🇦🇹"],
    [
      "code",
      "function a() {\n            if (b) {\n\t\t\t\treturn [1, 2];\n            }\n}\n\n\nconst x = 1;",
    ],
    ["a formula", "α=0.05 and β2 = π·r²"],
    ["an internationalized domain", "https://例え.jp/ and https://bücher.example, info@café.fr"],
  ])("is not flagged: %s", (_name, text) => {
    expect(flagsOf({ text })).toEqual([]);
  });
});

it("at most 20 places of a text and 100 in all are flagged, and a truncation is reported", () => {
  const flagged = deceptiveText({ input: Array(150).fill("\u202e") });
  expect(flagged.flags).toHaveLength(100);
  expect(flagged.flagsTruncated).toBe(true);
  expect(deceptiveText({ input: Array(100).fill("\u202e") }).flagsTruncated).toBe(false);
  const flood = deceptiveText({
    input: { a: "x\u200b".repeat(30), to: "\u0430\u0440\u0440\u04cf\u0435.com" },
  });
  expect(flood.flags.map(({ path }) => path)).toEqual([...Array(20).fill("input.a"), "input.to"]);
  expect(flood.flagsTruncated).toBe(true);
});

it("a visible text has no deceptive characters, and flags name only characters of the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      expect(visibleText(text, 1000)).not.toMatch(deceptiveCharacter);
      for (const { path, characters, start = 0, end = 0, text: word = "" } of flagsOf(text)) {
        for (const name of characters) {
          expect(text.slice(start, end)).toContain(String.fromCodePoint(Number.parseInt(name.slice(2), 16)));
        }
        expect(`${path}${word}`).not.toMatch(deceptiveCharacter);
      }
    }),
    { numRuns: 500 },
  );
});

it("a hostile text is checked in time that grows with its length only", () => {
  const flood = [
    "p\u0430ypal ",
    "a@b.c@.",
    "\u0415\u04155,000.",
    "x\u0301\u0301\u0301",
    "\n \n\u200b",
    "\u0430.",
    "DE12",
  ];
  for (const piece of flood) {
    // With the square of its length, this would take many minutes.
    flagsOf(piece.repeat(Math.ceil(300_000 / piece.length)));
  }
});

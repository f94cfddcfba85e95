/**
 * Letters that look like an ASCII letter or digit, each followed by its ASCII counterpart: Unicode's confusables (UTS
 * 39) for scripts with many of them. A test compares them with the published list.
 */
export const lookAlikes = {
  Latin:
    "ıiƄbƍgƖIƦRƧ2Ʒ3Ƽ5ƽsǀIȜ3Ȣ8ȣ8ɑaɡgɣyɩiɪiɯwʋuʏyᴄcᴏoᴑoᴜuᴠvᴡwᴢzᶃgᶌyẝfỿyꜱsꝚ2Ꝫ3Ꝯ9ꞘFꞙfꞟuꞫ3ꞲJꞳXꞴBꬲeꬵfꬽoꭇrꭈrꭎuꭒuꭚy",
  Cyrillic: "ЅSІIЈJАAВBЕEЗ3КKМMНHОOРPСCТTУYХXЬbаaб6гrеeоoрpсcуyхxѕsіiјjѡwѴVѵvҮYүyһhҽeӀIӏlӠ3ԁdԌGԛqԜWԝwꙄ2ꙇi",
  Greek: "ͿJΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXαaγyιiνvοoρpσoυuϜFϳjϺMᴦr",
  Armenian: "ՍUՏSՕOաwգqզqհhոnռnսuցgքfօo",
  Cherokee: "ᎠDᎡRᎢTᎥiᎩYᎪAᎫJᎬEᎳWᎷMᎻHᎽYᏀGᏂhᏃZᏎ4ᏏbᏒRᏔWᏕSᏙVᏚSᏞLᏟCᏢPᏦKᏧdᏮ6ᏳGᏴBꭵiꮁrꮃwꮓzꮩvꮪsꮯc",
  Coptic: "Ϩ2ⲅrⲎHⲒIⲔKⲘMⲚNⲞOⲟoⲢPⲣpⲤCⲥcⲦTⲨYⲬXⳊ9Ⳍ3ⳐLⳒ6",
  Lisu: "ꓐBꓑPꓒdꓓDꓔTꓖGꓗKꓙJꓚCꓜZꓝFꓟMꓠNꓡLꓢSꓣRꓦVꓧHꓪWꓫXꓬYꓮAꓰEꓲIꓳOꓴU",
  Canadian_Aboriginal: "ᐯVᑌUᑭPᑯdᑲbᒍJᒪLᒿ2ᕁxᕼHᕽxᖇRᖯbᖴFᗅAᗞDᗪDᗰMᗷB",
} as const;

/** Characters that look like the punctuation of addresses and numbers. */
const signs = "⁄/∕/⧸/∶:꞉:ː:ꓸ.٫.٬,";

const asciiOf = new Map(
  [...Object.values(lookAlikes), signs].flatMap((pairs) => {
    const characters = [...pairs];
    return characters.flatMap((character, at) =>
      at % 2 === 0 ? [[character, characters[at + 1] ?? ""] as const] : [],
    );
  }),
);

const letter = /\p{L}/u;

/** Whether a non-ASCII letter looks like an ASCII letter or digit. */
export function looksAscii(character: string): boolean {
  return asciiOf.has(character) && letter.test(character);
}

/** Replaces look-alikes by their ASCII counterparts; other characters stay. */
export function asciiLookOf(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, lookOfCharacter);
}

const looks = new Map<string, string>();
const maxLooks = 10_000;

function lookOfCharacter(character: string): string {
  const known = looks.get(character);
  if (known !== undefined) return known;
  const plain = character.normalize("NFKC");
  const look = /^[\x20-\x7e]+$/.test(plain)
    ? plain
    : (asciiOf.get(character) ?? digitOf(character) ?? character);
  if (looks.size >= maxLooks) looks.clear();
  looks.set(character, look);
  return look;
}

/** Converts a decimal digit of any script to ASCII. Each script has ten consecutive digits. */
function digitOf(character: string): string | undefined {
  if (!/^\p{Nd}$/u.test(character)) return undefined;
  const code = character.codePointAt(0) ?? 0;
  const row = code & ~0xf;
  const zero = /^\p{Nd}$/u.test(String.fromCodePoint(row)) ? row : row + 6;
  return String(code - zero);
}

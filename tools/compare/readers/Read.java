import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/**
 * Prints what java.util.zip makes of each archive named on a line of the input, as a line of JSON: ZipFile reads from the
 * back, ZipInputStream (with the argument "stream") from the front.
 */
class Read {
    public static void main(String[] args) throws IOException {
        boolean stream = args.length > 0 && args[0].equals("stream");
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String path = lines.readLine(); path != null; path = lines.readLine()) {
            out.println(contents(path, stream));
        }
    }

    static String contents(String path, boolean stream) {
        try {
            return "{\"files\":[" + String.join(",", stream ? fromFront(path) : fromBack(path)) + "]}";
        } catch (Exception error) {
            return "{\"error\":" + quote(error.toString()) + "}";
        }
    }

    static List<String> fromBack(String path) throws Exception {
        var files = new ArrayList<String>();
        try (var archive = new ZipFile(path)) {
            for (var entry : archive.stream().toList()) {
                if (entry.isDirectory()) continue;
                try (var content = archive.getInputStream(entry)) {
                    files.add(pair(entry.getName(), content));
                }
            }
        }
        return files;
    }

    static List<String> fromFront(String path) throws Exception {
        var files = new ArrayList<String>();
        try (var archive = new ZipInputStream(new FileInputStream(path))) {
            for (ZipEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                if (!entry.isDirectory()) files.add(pair(entry.getName(), archive));
            }
        }
        return files;
    }

    static String pair(String name, InputStream content) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        var buffer = new byte[1 << 16];
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) digest.update(buffer, 0, read);
        return "[" + quote(name) + "," + quote(HexFormat.of().formatHex(digest.digest())) + "]";
    }

    static String quote(String text) {
        var quoted = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            if (unit < ' ' || unit == '"' || unit == '\\') quoted.append(String.format("\\u%04x", (int) unit));
            else quoted.append(unit);
        }
        return quoted.append('"').toString();
    }
}

/*
 * mcp-echo: an MCP stdio server that answers at once, so that what stands in front of it is what is measured. One
 * thread, blocking I/O. Its one tool, `echo {message}`, answers with the same JSON string, byte for byte.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 128 * 1024, READ_ROOM = 64 * 1024 };

typedef struct {
  const char *text;
  size_t length;
} Slice;

static const char INITIALIZED[] =
    ",\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"
    "\"serverInfo\":{\"name\":\"mcp-echo\",\"version\":\"1\"}}}\n";
static const char TOOLS[] =
    ",\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"echo\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"message\":{\"type\":\"string\"}}}}]}}\n";
static const char TEXT_BEGIN[] = ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"";
static const char TEXT_END[] = "\"}]}}\n";
static const char EMPTY[] = ",\"result\":{}}\n";

/* Writes all parts; the host having gone away ends the program. */
static void write_parts(struct iovec *parts, int count) {
  while (count > 0) {
    ssize_t wrote = writev(1, parts, count);
    if (wrote < 0) {
      if (errno == EINTR) continue;
      exit(0);
    }
    while (count > 0 && (size_t)wrote >= parts->iov_len) {
      wrote -= (ssize_t)parts->iov_len;
      parts++;
      count--;
    }
    if (count > 0) {
      parts->iov_base = (char *)parts->iov_base + wrote;
      parts->iov_len -= (size_t)wrote;
    }
  }
}

static struct iovec part(const char *text, size_t length) {
  return (struct iovec){(void *)text, length};
}

static void answer(Slice id, const char *result) {
  static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":";
  struct iovec parts[] = {part(begin, sizeof begin - 1), part(id.text, id.length), part(result, strlen(result))};
  write_parts(parts, 3);
}

static void answer_text(Slice id, Slice text) {
  static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":";
  struct iovec parts[] = {part(begin, sizeof begin - 1), part(id.text, id.length),
                          part(TEXT_BEGIN, sizeof TEXT_BEGIN - 1), part(text.text, text.length),
                          part(TEXT_END, sizeof TEXT_END - 1)};
  write_parts(parts, 5);
}

/* The id as it is written; clients put it near the beginning or, like JSON.stringify of some, at the end. */
static bool find_id(const char *line, size_t length, Slice *id) {
  static const char key[] = "\"id\":";
  size_t head = length < 128 ? length : 128, tail = length < 64 ? length : 64;
  const char *found = memmem(line, head, key, sizeof key - 1);
  if (!found) found = memmem(line + length - tail, tail, key, sizeof key - 1);
  if (!found) return false;
  id->text = found + sizeof key - 1;
  id->length = strcspn(id->text, ",}");
  return true;
}

/* The JSON string after "message":, still escaped: it ends at a quote with an even number of backslashes before it. */
static bool find_message(const char *line, size_t length, Slice *message) {
  static const char key[] = "\"message\":\"";
  const char *end_of_line = line + length, *found = memmem(line, length, key, sizeof key - 1);
  if (!found) return false;
  message->text = found + sizeof key - 1;
  for (const char *quote = message->text; (quote = memchr(quote, '"', (size_t)(end_of_line - quote))); quote++) {
    const char *backslash = quote;
    while (backslash > message->text && backslash[-1] == '\\') backslash--;
    if ((quote - backslash) % 2) continue;
    message->length = (size_t)(quote - message->text);
    return true;
  }
  return false;
}

static void handle(const char *line, size_t length) {
  static const char key[] = "\"method\":\"";
  Slice id, message;
  const char *method = memmem(line, length < 200 ? length : 200, key, sizeof key - 1);
  if (!method || !find_id(line, length, &id)) return;
  method += sizeof key - 1;
  if (!strncmp(method, "initialize\"", 11)) answer(id, INITIALIZED);
  else if (!strncmp(method, "tools/list\"", 11)) answer(id, TOOLS);
  else if (!strncmp(method, "tools/call\"", 11) && find_message(line, length, &message)) answer_text(id, message);
  else answer(id, EMPTY);
}

int main(void) {
  size_t capacity = FIRST_CAPACITY, length = 0, scanned = 0;
  char *bytes = malloc(capacity);
  for (;;) {
    if (capacity - length < READ_ROOM) bytes = realloc(bytes, capacity *= 2);
    if (!bytes) return 1;
    ssize_t got = read(0, bytes + length, capacity - length - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0;
    length += (size_t)got;
    char *line = bytes;
    for (char *newline; (newline = memchr(bytes + scanned, '\n', length - scanned));) {
      *newline = 0;
      if (newline > line) handle(line, (size_t)(newline - line));
      line = newline + 1;
      scanned = (size_t)(line - bytes);
    }
    length -= (size_t)(line - bytes);
    memmove(bytes, line, length);
    scanned = length;
  }
}

/*
 * mcp-http-echo: a remote MCP server (Streamable HTTP, 2025-11-25) that answers at once, so that what stands in front of
 * it is what is measured. One thread, epoll, keep-alive. Its one tool, `echo {message}`, answers with the same JSON
 * string, byte for byte: at /mcp as one JSON body, at /sse as an event stream with one event. It checks nothing, has no
 * stream for GET (405) and ends with its stdin. Prints its port. Argument: the CPU to stay on, or -1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 16 * 1024, READ_ROOM = 8 * 1024, MAX_EVENTS = 128, MAX_PARTS = 8 };

typedef struct {
  const char *text;
  size_t length;
} Slice;

typedef struct {
  int fd;
  char *bytes;
  size_t length, capacity;
} Connection;

typedef struct {
  Slice method, path, body;
  size_t whole; /* bytes of head and body */
} Request;

static const char INITIALIZED[] =
    ",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":false}},"
    "\"serverInfo\":{\"name\":\"mcp-http-echo\",\"version\":\"1\"}}}";
static const char TOOLS[] =
    ",\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"echo\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"message\":{\"type\":\"string\"}}}}]}}";
static const char TEXT_BEGIN[] = ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"";
static const char TEXT_END[] = "\"}]}}";
static const char EMPTY[] = ",\"result\":{}}";
static const char UNKNOWN[] = ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}";
static const char BEGIN[] = "{\"jsonrpc\":\"2.0\",\"id\":";

static Slice slice(const char *text, size_t length) {
  return (Slice){text, length};
}

static Slice literal(const char *text) {
  return slice(text, strlen(text));
}

static bool is(Slice slice, const char *text) {
  return slice.length == strlen(text) && !memcmp(slice.text, text, slice.length);
}

/* ---- out ---- */

/* Writes all parts, waiting for the reader where it must; false when it is gone. */
static bool write_parts(int fd, const Slice *slices, int count) {
  struct iovec space[MAX_PARTS], *parts = space;
  for (int i = 0; i < count; i++) parts[i] = (struct iovec){(void *)slices[i].text, slices[i].length};
  while (count > 0) {
    ssize_t wrote = writev(fd, parts, count);
    if (wrote < 0) {
      struct pollfd writable = {fd, POLLOUT, 0};
      if (errno == EAGAIN) poll(&writable, 1, -1);
      else if (errno != EINTR) return false;
      continue;
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
  return true;
}

static bool answer_status(int fd, const char *status) {
  char head[128];
  int length = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", status);
  return write_parts(fd, &(Slice){head, (size_t)length}, 1);
}

/* Answers with up to four parts of a message, as JSON or as the one event of a stream. */
static bool answer_message(int fd, bool stream, const char *headers, const Slice *message, int count) {
  static const char event_begin[] = "event: message\ndata: ", event_end[] = "\n\n\r\n0\r\n\r\n";
  Slice parts[MAX_PARTS];
  char head[256];
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    parts[i + 1] = message[i];
    length += message[i].length;
  }
  int head_length;
  if (stream) {
    head_length = snprintf(head, sizeof head,
                           "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n%s"
                           "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s",
                           headers, sizeof event_begin - 1 + length + 2, event_begin);
    parts[++count] = literal(event_end);
  } else {
    head_length = snprintf(head, sizeof head,
                           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %zu\r\n\r\n", headers,
                           length);
  }
  parts[0] = slice(head, (size_t)head_length);
  return write_parts(fd, parts, count + 1);
}

/* ---- messages ---- */

/* The id as it is written; clients put it near the beginning or, like JSON.stringify of some, at the end. */
static bool find_id(Slice body, Slice *id) {
  static const char key[] = "\"id\":";
  size_t head = body.length < 128 ? body.length : 128, tail = body.length < 64 ? body.length : 64;
  const char *found = memmem(body.text, head, key, sizeof key - 1);
  if (!found) found = memmem(body.text + body.length - tail, tail, key, sizeof key - 1);
  if (!found) return false;
  found += sizeof key - 1;
  *id = slice(found, strcspn(found, ",}"));
  return true;
}

/* The JSON string after "message":, still escaped: it ends at a quote with an even number of backslashes before it. */
static bool find_message(Slice body, Slice *message) {
  static const char key[] = "\"message\":\"";
  const char *end = body.text + body.length, *found = memmem(body.text, body.length, key, sizeof key - 1);
  if (!found) return false;
  found += sizeof key - 1;
  for (const char *quote = found; (quote = memchr(quote, '"', (size_t)(end - quote))); quote++) {
    const char *backslash = quote;
    while (backslash > found && backslash[-1] == '\\') backslash--;
    if ((quote - backslash) % 2) continue;
    *message = slice(found, (size_t)(quote - found));
    return true;
  }
  return false;
}

static bool find_method(Slice body, const char **method) {
  static const char key[] = "\"method\":\"";
  size_t head = body.length < 200 ? body.length : 200, tail = body.length < 200 ? body.length : 200;
  const char *found = memmem(body.text, head, key, sizeof key - 1);
  if (!found) found = memmem(body.text + body.length - tail, tail, key, sizeof key - 1);
  if (!found) return false;
  *method = found + sizeof key - 1;
  return true;
}

static bool handle_message(int fd, bool stream, Slice body) {
  Slice id, text;
  const char *method, *headers = "";
  if (!find_method(body, &method) || !find_id(body, &id)) return answer_status(fd, "202 Accepted");
  Slice parts[4] = {literal(BEGIN), id};
  int count = 3;
  if (!strncmp(method, "tools/call\"", 11) && find_message(body, &text)) {
    Slice call[] = {literal(BEGIN), id, literal(TEXT_BEGIN), text, literal(TEXT_END)};
    return answer_message(fd, stream, headers, call, 5);
  }
  if (!strncmp(method, "initialize\"", 11)) {
    headers = "Mcp-Session-Id: bench\r\n";
    parts[2] = literal(INITIALIZED);
  } else if (!strncmp(method, "tools/list\"", 11)) parts[2] = literal(TOOLS);
  else if (!strncmp(method, "ping\"", 5)) parts[2] = literal(EMPTY);
  else parts[2] = literal(UNKNOWN);
  return answer_message(fd, stream, headers, parts, count);
}

static bool handle_request(int fd, const Request *request) {
  bool json = is(request->path, "/mcp"), stream = is(request->path, "/sse");
  if (!json && !stream) return answer_status(fd, "404 Not Found");
  if (is(request->method, "POST")) return handle_message(fd, stream, request->body);
  return answer_status(fd, is(request->method, "DELETE") ? "200 OK" : "405 Method Not Allowed");
}

/* ---- in ---- */

/* 1: a whole request is there, 0: not yet, -1: not one that is understood here (a body needs its length). */
static int read_request(const Connection *connection, Request *request) {
  const char *bytes = connection->bytes;
  const char *end = memmem(bytes, connection->length, "\r\n\r\n", 4);
  if (!end) return 0;
  const char *line_end = memchr(bytes, '\r', connection->length), *space = memchr(bytes, ' ', (size_t)(line_end - bytes));
  const char *second = space ? memchr(space + 1, ' ', (size_t)(line_end - space - 1)) : NULL;
  if (!second) return -1;
  request->method = slice(bytes, (size_t)(space - bytes));
  request->path = slice(space + 1, (size_t)(second - space - 1));
  size_t body = 0, head = (size_t)(end - bytes) + 4;
  for (const char *line = line_end; line < end; line = strstr(line + 2, "\r\n")) {
    if (!strncasecmp(line + 2, "content-length:", 15)) body = strtoul(line + 17, NULL, 10);
    if (!strncasecmp(line + 2, "transfer-encoding:", 18)) return -1;
  }
  request->body = slice(end + 4, body);
  request->whole = head + body;
  return connection->length >= request->whole;
}

/* Reads what is there and answers what is complete; false when the connection is to be closed. */
static bool serve(Connection *connection) {
  for (;;) {
    if (connection->capacity - connection->length < READ_ROOM) {
      connection->bytes = realloc(connection->bytes, connection->capacity *= 2);
      if (!connection->bytes) exit(1);
    }
    size_t room = connection->capacity - connection->length - 1;
    ssize_t got = read(connection->fd, connection->bytes + connection->length, room);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got < 0) return true;
    connection->length += (size_t)got;
    connection->bytes[connection->length] = 0;
    Request request;
    int complete;
    while ((complete = read_request(connection, &request)) > 0) {
      if (!handle_request(connection->fd, &request)) return false;
      connection->length -= request.whole;
      memmove(connection->bytes, connection->bytes + request.whole, connection->length + 1);
    }
    if (complete < 0) return answer_status(connection->fd, "411 Length Required") && false;
    if ((size_t)got < room) return true;
  }
}

static void accept_all(int listener, int epoll) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    Connection *connection = malloc(sizeof *connection);
    if (!connection) exit(1);
    *connection = (Connection){.fd = fd, .bytes = malloc(FIRST_CAPACITY), .capacity = FIRST_CAPACITY};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
}

static int listen_on_loopback(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1024) ||
      getsockname(listener, (struct sockaddr *)&address, &length)) {
    perror("mcp-http-echo");
    exit(1);
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

static void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) perror("mcp-http-echo: cannot pin");
}

int main(int argc, char **argv) {
  static int standard_input, listening;
  signal(SIGPIPE, SIG_IGN);
  if (argc > 1 && atoi(argv[1]) >= 0) pin_to(atoi(argv[1]));
  int epoll = epoll_create1(EPOLL_CLOEXEC), listener = listen_on_loopback();
  struct epoll_event stdin_event = {.events = EPOLLIN, .data.ptr = &standard_input};
  struct epoll_event listener_event = {.events = EPOLLIN, .data.ptr = &listening};
  epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &stdin_event);
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &listener_event);
  for (;;) {
    struct epoll_event events[MAX_EVENTS];
    int count = epoll_wait(epoll, events, MAX_EVENTS, -1);
    for (int i = 0; i < count; i++) {
      void *about = events[i].data.ptr;
      if (about == &standard_input) return 0;
      if (about == &listening) {
        accept_all(listener, epoll);
        continue;
      }
      Connection *connection = about;
      if (serve(connection)) continue;
      close(connection->fd);
      free(connection->bytes);
      free(connection);
    }
  }
}

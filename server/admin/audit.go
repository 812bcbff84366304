package admin

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/reply"
)

// brokenAudit says which entry is at fault.
func brokenAudit(err error) error {
	var broken *audit.BrokenError
	if errors.As(err, &broken) {
		return &reply.Refusal{Status: http.StatusInternalServerError, Message: broken.Error()}
	}
	return err
}

// reader takes one of the places for reading the whole log.
func (h *Handler) reader() (leave func(), err error) {
	select {
	case h.readers <- struct{}{}:
		return func() { <-h.readers }, nil
	default:
		return nil, errBusy
	}
}

func (h *Handler) auditVerify(w http.ResponseWriter, r *http.Request) error {
	leave, err := h.reader()
	if err != nil {
		return err
	}
	defer leave()
	report, err := h.o.Audit.Verify(r.Context())
	out := wire.AdminVerification{Success: true, OK: err == nil, First: report.First, Last: report.Last, Head: report.Head}
	var broken *audit.BrokenError
	switch {
	case errors.As(err, &broken):
		out.Entry, out.Reason = broken.Seq, broken.Reason
	case err != nil:
		return err
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

func (h *Handler) auditLines(w http.ResponseWriter, r *http.Request) error {
	return h.download(w, r, "squelch-audit.jsonl", "application/jsonl", func(out io.Writer) func(audit.Entry) error {
		enc := json.NewEncoder(out)
		return func(e audit.Entry) error { return enc.Encode(e) }
	})
}

func (h *Handler) auditCSV(w http.ResponseWriter, r *http.Request) error {
	return h.download(w, r, "squelch-audit.csv", "text/csv; charset=utf-8; header=present", func(out io.Writer) func(audit.Entry) error {
		table := csv.NewWriter(out)
		table.UseCRLF = true // RFC 4180, section 2
		head := []string{"seq", "time", "actor_id", "actor_name", "surface", "action", "frequency", "target", "detail"}
		return func(e audit.Entry) error {
			if head != nil {
				_ = table.Write(head)
				head = nil
			}
			detail := ""
			if len(e.Detail) > 0 {
				b, err := json.Marshal(e.Detail)
				if err != nil {
					return err
				}
				detail = string(b)
			}
			_ = table.Write([]string{strconv.FormatUint(e.Seq, 10), time.UnixMilli(e.Time).UTC().Format("2006-01-02T15:04:05.000Z"),
				strconv.Itoa(e.Actor.ID), cell(e.Actor.Name), cell(string(e.Surface)), cell(e.Action), e.Frequency, cell(e.Target), cell(detail)})
			table.Flush()
			return table.Error()
		}
	})
}

// cell keeps spreadsheets from reading a text that a user chose as a formula (OWASP,
// CSV Injection). Ids of dispatchers stay numbers.
func cell(text string) string {
	if _, err := strconv.Atoi(text); err != nil && text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// download streams the log as it is now, batch by batch. If it fails in the middle it
// breaks the connection, so that a part is not taken for the whole.
func (h *Handler) download(w http.ResponseWriter, r *http.Request, name, kind string, format func(io.Writer) func(audit.Entry) error) error {
	leave, err := h.reader()
	if err != nil {
		return err
	}
	defer leave()
	if err := h.note(r, "admin.audit.download", map[string]any{"file": name}); err != nil {
		return err
	}
	newest, err := h.o.Audit.Tail(r.Context(), 1)
	if err != nil {
		return brokenAudit(err)
	}
	reply.Private(w.Header(), kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.WriteHeader(http.StatusOK)
	if len(newest) == 0 {
		return nil
	}
	out := bufio.NewWriter(w)
	if err := h.send(w, r, out, format(out), newest[0].Seq); err != nil {
		if r.Context().Err() == nil {
			h.o.Logf("admin: the download of the audit log was interrupted: %v", err)
		}
		panic(http.ErrAbortHandler) // net/http closes the connection and stays silent
	}
	return nil
}

func (h *Handler) send(w http.ResponseWriter, r *http.Request, out *bufio.Writer, write func(audit.Entry) error, last uint64) error {
	to := http.NewResponseController(w)
	for next := uint64(1); next <= last; {
		entries, err := h.o.Audit.Read(r.Context(), next, auditBatch)
		if err != nil {
			return err
		}
		// Where the deadline cannot be moved, the server's own applies.
		_ = to.SetWriteDeadline(time.Now().Add(batchTime))
		for _, e := range entries {
			if e.Seq > last {
				break
			}
			if err := write(e); err != nil {
				return err
			}
			next = e.Seq + 1
		}
		if len(entries) == 0 {
			return nil
		}
		if err := errors.Join(out.Flush(), to.Flush()); err != nil {
			return err
		}
		if entries[len(entries)-1].Seq > last {
			return nil
		}
	}
	return nil
}

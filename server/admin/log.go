package admin

import (
	"fmt"
	"net/http"
	"strconv"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/logs"
	"squelch/server/reply"
)

// maxLogLines is how many lines one reply has at most: all that are kept.
const maxLogLines = 1000

// log gives the newest lines of the service's log. A page that follows it asks again
// with the last number that it knows.
func (h *Handler) log(w http.ResponseWriter, r *http.Request) error {
	after, err := number(r, "after", 0, 0, 1<<53)
	if err != nil {
		return err
	}
	level, err := number(r, "level", logs.Verbose, logs.Error, logs.Verbose)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", maxLogLines, 1, maxLogLines)
	if err != nil {
		return err
	}
	out := wire.AdminLog{Lines: []wire.AdminLogLine{}}
	if h.o.Log != nil {
		out.Level = h.o.Log.Level()
		_, out.Lost = h.o.Log.Counts()
		var lines []logs.Line
		lines, out.Last = h.o.Log.Recent(uint64(after), int(level), int(limit))
		for _, l := range lines {
			line := wire.AdminLogLine{Seq: l.Seq, At: l.At.UnixMilli(), Level: logs.Name(l.Level), Message: l.Message, Fields: []wire.AdminLogField{}}
			for _, f := range l.Fields {
				line.Fields = append(line.Fields, wire.AdminLogField{Name: f.Name, Value: f.Value})
			}
			out.Lines = append(out.Lines, line)
		}
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// number reads a whole number of the query; without it, usual.
func number(r *http.Request, name string, usual, least, most int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, &core.Error{Kind: core.Invalid, Field: name, Message: fmt.Sprintf("%s must be a whole number from %d to %d, not %.40q", name, least, most, text)}
	}
	return n, nil
}
